import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

const RecipePage = lazyRouteComponent(() => import('./recipe-page.tsx'), 'RecipePage');

export const recipeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/recipes/$id/',
  component: function Recipe() {
    const { id } = recipeRoute.useParams();
    return <RecipePage key={id} id={Number(id)} />;
  },
});
