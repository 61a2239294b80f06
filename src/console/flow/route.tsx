import { createRoute } from '@tanstack/react-router';
import { startLayoutWorker } from '../graph/start-worker.ts';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readFlowSearch } from './flow-search.ts';

const FlowPage = lazyPage(() => import('./flow-page.tsx'), 'FlowPage');

export const flowRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/flow/',
  staticData: { codeFetched: 'last' },
  loader: startLayoutWorker,
  validateSearch: readFlowSearch,
  component: pageComponent(FlowPage, function Flow() {
    return <FlowPage search={flowRoute.useSearch()} />;
  }),
});
