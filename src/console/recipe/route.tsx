import { createRoute } from '@tanstack/react-router';
import { startLayoutWorker } from '../graph/start-worker.ts';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readRecipeView } from './recipe-search.ts';

const RecipePage = lazyPage(() => import('./recipe-page.tsx'), 'RecipePage');

export const recipeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/recipes/$id/',
  staticData: { codeFetched: 'last' },
  loader: startLayoutWorker,
  validateSearch: readRecipeView,
  component: pageComponent(RecipePage, function Recipe() {
    const { id } = recipeRoute.useParams();
    return <RecipePage key={id} id={Number(id)} view={recipeRoute.useSearch()} />;
  }),
});
