import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

const DatasetPage = lazyRouteComponent(() => import('./dataset-page.tsx'), 'DatasetPage');

export const datasetRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/datasets/$id/',
  component: function Dataset() {
    const { id } = datasetRoute.useParams();
    return <DatasetPage key={id} id={Number(id)} />;
  },
});
