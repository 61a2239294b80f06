import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readRecipeTypeSearch } from './recipe-type-search.ts';

const RecipeTypePage = lazyPage(() => import('./recipe-type-page.tsx'), 'RecipeTypePage');

export const recipeTypeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/recipe-types/$name/',
  staticData: { codeFetched: 'last' },
  validateSearch: readRecipeTypeSearch,
  component: pageComponent(RecipeTypePage, function RecipeType() {
    const { name } = recipeTypeRoute.useParams();
    return <RecipeTypePage key={name} name={name} search={recipeTypeRoute.useSearch()} />;
  }),
});
