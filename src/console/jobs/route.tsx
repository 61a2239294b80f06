import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readJobSearch } from './job-search.ts';
import { JobsPage } from './jobs-page.tsx';

export const jobsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/jobs/',
  validateSearch: readJobSearch,
  component: function Jobs() {
    return <JobsPage search={jobsRoute.useSearch()} />;
  },
});
