import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, present, type Search } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

/** The page's code is fetched when it is opened, as of all pages but the overview and the jobs. */
const JobPage = lazyPage(() => import('./job-page.tsx'), 'JobPage');

interface JobView {
  readonly log?: 'stdout' | 'stderr' | undefined;
}

export const jobRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/jobs/$id/',
  validateSearch: (search: Search) => present<JobView>({ log: choiceOf(search.log, ['stdout', 'stderr']) }),
  component: pageComponent(JobPage, function Job() {
    const { id } = jobRoute.useParams();
    return <JobPage key={id} id={Number(id)} log={jobRoute.useSearch().log} />;
  }),
});
