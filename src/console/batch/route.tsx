import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

const BatchPage = lazyRouteComponent(() => import('./batch-page.tsx'), 'BatchPage');

export const batchRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/batches/$id/',
  component: function Batch() {
    const { id } = batchRoute.useParams();
    return <BatchPage key={id} id={Number(id)} />;
  },
});
