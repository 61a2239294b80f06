import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { orderOf, type Search } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { TokenSearch } from './tokens-page.tsx';

const TokensPage = lazyPage(() => import('./tokens-page.tsx'), 'TokensPage');
const SORTS = ['name', 'scope', 'created', 'expires', 'last_used'] as const;

function readTokenSearch(search: Search): TokenSearch {
  const order = orderOf(search.order, SORTS);
  return order === undefined ? {} : { order };
}

export const tokensRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/tokens/',
  validateSearch: readTokenSearch,
  component: pageComponent(TokensPage, function Tokens() {
    return <TokensPage {...tokensRoute.useSearch()} />;
  }),
});
