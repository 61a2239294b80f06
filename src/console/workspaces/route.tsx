import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { pageComponent } from '../shell/page-component.ts';
import { readWorkspaceSearch } from './workspace-search.ts';

const WorkspacesPage = lazyRouteComponent(() => import('./workspaces-page.tsx'), 'WorkspacesPage');

export const workspacesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/workspaces/',
  validateSearch: readWorkspaceSearch,
  component: pageComponent(WorkspacesPage, function Workspaces() {
    return <WorkspacesPage search={workspacesRoute.useSearch()} />;
  }),
});
