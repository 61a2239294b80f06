import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

const SettingsPage = lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage');

export const settingsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/settings/',
  component: SettingsPage,
});
