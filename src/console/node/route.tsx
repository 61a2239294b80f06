import { createRoute } from '@tanstack/react-router';
import { nodeRecord, nodeUse, runningJobs } from '../nodes/queries.ts';
import { readUseSearch } from '../nodes/route.tsx';
import { systemStatus } from '../overview/queries.ts';
import { readAhead } from '../read-ahead.ts';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const NodePage = lazyPage(() => import('./node-page.tsx'), 'NodePage');

export const nodeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/nodes/$id/',
  validateSearch: readUseSearch,
  loader(visit) {
    const id = Number(visit.params.id);
    readAhead(visit, (queries) => {
      void queries.prefetchQuery(nodeRecord(id));
      void queries.prefetchQuery(nodeUse(readUseSearch(visit.location.search).range ?? 'PT1H', id));
      void queries.prefetchQuery(runningJobs(id));
      void queries.prefetchQuery(systemStatus);
    });
  },
  component: pageComponent(NodePage, function Node() {
    const { id } = nodeRoute.useParams();
    return <NodePage key={id} {...nodeRoute.useSearch()} id={Number(id)} />;
  }),
});
