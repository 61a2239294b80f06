import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { present, type Search, textOf } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const WorkspacePage = lazyPage(() => import('./workspace-page.tsx'), 'WorkspacePage');

export const workspaceRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/workspaces/$id/',
  validateSearch: (search: Search) =>
    present<{ readonly path?: string | undefined }>({ path: textOf(search.path) }),
  component: pageComponent(WorkspacePage, function Workspace() {
    const { id } = workspaceRoute.useParams();
    const { path } = workspaceRoute.useSearch();
    return <WorkspacePage key={id} id={Number(id)} path={path} />;
  }),
});
