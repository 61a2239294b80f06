/** The pages and their addresses. The service serves the same paths: src/api/console/console-routes.ts. */
import { createRootRoute, createRoute, createRouter, Link } from '@tanstack/react-router';
import { JobPage } from './job/job-page.tsx';
import { readJobSearch } from './jobs/job-search.ts';
import { JobsPage } from './jobs/jobs-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { Empty, Failure } from './parts/states.tsx';
import { parseSearch, searchText } from './search.ts';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => <Failure error={error} retry={() => location.reload()} />,
  notFoundComponent: () => (
    <Empty title="The console has no such page">
      <Link to="/">Overview</Link>
    </Empty>
  ),
});

const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewPage });

const jobs = createRoute({
  getParentRoute: () => root,
  path: '/console/jobs/',
  validateSearch: readJobSearch,
  component: function Jobs() {
    return <JobsPage search={jobs.useSearch()} />;
  },
});

const job = createRoute({
  getParentRoute: () => root,
  path: '/console/jobs/$id/',
  component: function Job() {
    const { id } = job.useParams();
    return <JobPage key={id} id={Number(id)} />;
  },
});

export const router = createRouter({
  routeTree: root.addChildren([overview, jobs, job]),
  parseSearch,
  stringifySearch: searchText,
  trailingSlash: 'always',
  defaultPreload: false,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
