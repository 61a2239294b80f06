import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

const QueuePage = lazyRouteComponent(() => import('./queue-page.tsx'), 'QueuePage');

export const queueRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/queue/',
  component: QueuePage,
});
