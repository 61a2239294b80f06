import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readTypeSearch } from '../type-pages/type-search.ts';

const RecipeTypesPage = lazyPage(() => import('./recipe-types-page.tsx'), 'RecipeTypesPage');

export const recipeTypesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/recipe-types/',
  validateSearch: readTypeSearch,
  component: pageComponent(RecipeTypesPage, function RecipeTypes() {
    return <RecipeTypesPage search={recipeTypesRoute.useSearch()} />;
  }),
});
