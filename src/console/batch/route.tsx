import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const BatchPage = lazyPage(() => import('./batch-page.tsx'), 'BatchPage');

export const batchRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/batches/$id/',
  component: pageComponent(BatchPage, function Batch() {
    const { id } = batchRoute.useParams();
    return <BatchPage key={id} id={Number(id)} />;
  }),
});
