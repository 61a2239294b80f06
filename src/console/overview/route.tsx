import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { OverviewPage } from './overview-page.tsx';

export const overviewRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: OverviewPage,
});
