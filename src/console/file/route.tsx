import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readLineageSearch } from './lineage-search.ts';

const FilePage = lazyRouteComponent(() => import('./file-page.tsx'), 'FilePage');

export const fileRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/files/$id/',
  validateSearch: readLineageSearch,
  component: function File() {
    const { id } = fileRoute.useParams();
    return <FilePage key={id} id={Number(id)} search={fileRoute.useSearch()} />;
  },
});
