/** The pages and their addresses. The service serves the same paths: src/api/console/console-routes.ts. */
import { createRouter } from '@tanstack/react-router';
import { fileRoute } from './file/route.tsx';
import { filesRoute } from './files/route.tsx';
import { jobRoute } from './job/route.tsx';
import { jobsRoute } from './jobs/route.tsx';
import { overviewRoute } from './overview/route.tsx';
import { root } from './root.tsx';
import { parseSearch, searchText } from './search.ts';

export const router = createRouter({
  routeTree: root.addChildren([overviewRoute, jobsRoute, jobRoute, filesRoute, fileRoute]),
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
