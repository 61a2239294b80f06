import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { pageComponent } from '../shell/page-component.ts';

/** The page's code is fetched when it is opened, as of all pages but the overview and the jobs. */
const JobPage = lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage');

export const jobRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/jobs/$id/',
  component: pageComponent(JobPage, function Job() {
    const { id } = jobRoute.useParams();
    return <JobPage key={id} id={Number(id)} />;
  }),
});
