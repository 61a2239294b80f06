import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const DatasetPage = lazyPage(() => import('./dataset-page.tsx'), 'DatasetPage');

export const datasetRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/datasets/$id/',
  component: pageComponent(DatasetPage, function Dataset() {
    const { id } = datasetRoute.useParams();
    return <DatasetPage key={id} id={Number(id)} />;
  }),
});
