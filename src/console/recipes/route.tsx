import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { pageComponent } from '../shell/page-component.ts';
import { readRecipeSearch } from './recipe-search.ts';

const RecipesPage = lazyRouteComponent(() => import('./recipes-page.tsx'), 'RecipesPage');

export const recipesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/recipes/',
  validateSearch: readRecipeSearch,
  component: pageComponent(RecipesPage, function Recipes() {
    return <RecipesPage search={recipesRoute.useSearch()} />;
  }),
});
