import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readFlowSearch } from './flow-search.ts';

const FlowPage = lazyRouteComponent(() => import('./flow-page.tsx'), 'FlowPage');

export const flowRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/flow/',
  validateSearch: readFlowSearch,
  component: function Flow() {
    return <FlowPage search={flowRoute.useSearch()} />;
  },
});
