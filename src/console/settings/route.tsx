import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage } from '../shell/page-component.ts';

const SettingsPage = lazyPage(() => import('./settings-page.tsx'), 'SettingsPage');

export const settingsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/settings/',
  component: SettingsPage,
});
