import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readWorkspaceSearch } from './workspace-search.ts';

const WorkspacesPage = lazyPage(() => import('./workspaces-page.tsx'), 'WorkspacesPage');

export const workspacesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/workspaces/',
  validateSearch: readWorkspaceSearch,
  component: pageComponent(WorkspacesPage, function Workspaces() {
    return <WorkspacesPage search={workspacesRoute.useSearch()} />;
  }),
});
