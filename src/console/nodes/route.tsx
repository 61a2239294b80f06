import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, type Search } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { NodesSearch } from './nodes-page.tsx';

const NodesPage = lazyPage(() => import('./nodes-page.tsx'), 'NodesPage');

export function readUseSearch(search: Search): NodesSearch {
  const range = choiceOf(search.range, ['PT1H', 'P1D']);
  return range === undefined ? {} : { range };
}

export const nodesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/nodes/',
  validateSearch: readUseSearch,
  component: pageComponent(NodesPage, function Nodes() {
    return <NodesPage {...nodesRoute.useSearch()} />;
  }),
});
