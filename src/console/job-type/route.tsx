import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readJobTypeSearch } from './job-type-search.ts';

const JobTypePage = lazyPage(() => import('./job-type-page.tsx'), 'JobTypePage');

export const jobTypeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/job-types/$name/$version/',
  validateSearch: readJobTypeSearch,
  component: pageComponent(JobTypePage, function JobType() {
    const { name, version } = jobTypeRoute.useParams();
    const search = jobTypeRoute.useSearch();
    return <JobTypePage key={`${name} ${version}`} name={name} version={version} search={search} />;
  }),
});
