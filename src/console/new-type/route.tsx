import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readNewTypeSearch } from './new-type-search.ts';

const NewRecipeTypePage = lazyPage(() => import('./new-type-pages.tsx'), 'NewRecipeTypePage');
const NewJobTypePage = lazyPage(() => import('./new-type-pages.tsx'), 'NewJobTypePage');

export const newRecipeTypeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/new-recipe-type/',
  validateSearch: readNewTypeSearch,
  staticData: { codeFetched: 'on the way' },
  component: pageComponent(NewRecipeTypePage, function NewRecipeType() {
    return <NewRecipeTypePage search={newRecipeTypeRoute.useSearch()} />;
  }),
});

export const newJobTypeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/new-job-type/',
  staticData: { codeFetched: 'on the way' },
  component: NewJobTypePage,
});
