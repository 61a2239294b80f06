import { createRoute } from '@tanstack/react-router';
import { startLayoutWorker } from '../graph/start-worker.ts';
import { readAhead } from '../read-ahead.ts';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readLineageSearch } from './lineage-search.ts';
import { readFileAhead } from './queries.ts';

const FilePage = lazyPage(() => import('./file-page.tsx'), 'FilePage');

export const fileRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/files/$id/',
  staticData: { codeFetched: 'last' },
  loader(visit) {
    startLayoutWorker();
    readAhead(visit, (queries) => {
      readFileAhead(queries, Number(visit.params.id), readLineageSearch(visit.location.search));
    });
  },
  validateSearch: readLineageSearch,
  component: pageComponent(FilePage, function File() {
    const { id } = fileRoute.useParams();
    return <FilePage key={id} id={Number(id)} search={fileRoute.useSearch()} />;
  }),
});
