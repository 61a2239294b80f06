import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage } from '../shell/page-component.ts';

const QueuePage = lazyPage(() => import('./queue-page.tsx'), 'QueuePage');

export const queueRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/queue/',
  component: QueuePage,
});
