import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readTypeSearch } from '../type-pages/type-search.ts';

const JobTypesPage = lazyPage(() => import('./job-types-page.tsx'), 'JobTypesPage');

export const jobTypesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/job-types/',
  validateSearch: readTypeSearch,
  component: pageComponent(JobTypesPage, function JobTypes() {
    return <JobTypesPage search={jobTypesRoute.useSearch()} />;
  }),
});
