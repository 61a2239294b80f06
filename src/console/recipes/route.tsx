import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readRecipeSearch } from './recipe-search.ts';

const RecipesPage = lazyPage(() => import('./recipes-page.tsx'), 'RecipesPage');

export const recipesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/recipes/',
  validateSearch: readRecipeSearch,
  component: pageComponent(RecipesPage, function Recipes() {
    return <RecipesPage search={recipesRoute.useSearch()} />;
  }),
});
