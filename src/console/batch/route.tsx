import { createRoute } from '@tanstack/react-router';
import { batchComparison, batchDetails, batchFailures } from '../batches/queries.ts';
import { readAhead } from '../read-ahead.ts';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const BatchPage = lazyPage(() => import('./batch-page.tsx'), 'BatchPage');

export const batchRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/batches/$id/',
  loader(visit) {
    const id = Number(visit.params.id);
    readAhead(visit, (queries) => {
      void queries.prefetchQuery(batchDetails(id));
      void queries.prefetchQuery(batchFailures(id));
      void queries.prefetchQuery(batchComparison(id));
    });
  },
  component: pageComponent(BatchPage, function Batch() {
    const { id } = batchRoute.useParams();
    return <BatchPage key={id} id={Number(id)} />;
  }),
});
