import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage } from '../shell/page-component.ts';

const NewRecipeTypePage = lazyPage(() => import('./new-type-pages.tsx'), 'NewRecipeTypePage');
const NewJobTypePage = lazyPage(() => import('./new-type-pages.tsx'), 'NewJobTypePage');

export const newRecipeTypeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/new-recipe-type/',
  staticData: { codeFetched: 'on the way' },
  component: NewRecipeTypePage,
});

export const newJobTypeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/new-job-type/',
  staticData: { codeFetched: 'on the way' },
  component: NewJobTypePage,
});
