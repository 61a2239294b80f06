import { createRoute } from '@tanstack/react-router';
import { readUseSearch } from '../nodes/route.tsx';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const NodePage = lazyPage(() => import('./node-page.tsx'), 'NodePage');

export const nodeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/nodes/$id/',
  validateSearch: readUseSearch,
  component: pageComponent(NodePage, function Node() {
    const { id } = nodeRoute.useParams();
    return <NodePage key={id} {...nodeRoute.useSearch()} id={Number(id)} />;
  }),
});
