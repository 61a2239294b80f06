import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const ScanPage = lazyPage(() => import('./scan-page.tsx'), 'ScanPage');

export const scanRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/scans/$id/',
  component: pageComponent(ScanPage, function Scan() {
    const { id } = scanRoute.useParams();
    return <ScanPage key={id} id={Number(id)} />;
  }),
});
