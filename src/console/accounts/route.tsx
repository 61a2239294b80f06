import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, orderOf, type Search } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { AccountSearch } from './accounts-page.tsx';

const AccountsPage = lazyPage(() => import('./accounts-page.tsx'), 'AccountsPage');
const SORTS = ['username', 'is_staff', 'is_active', 'created', 'last_login'] as const;

function readAccountSearch(search: Search): AccountSearch {
  const all = {
    active: choiceOf(search.active, ['true', 'false']),
    staff: choiceOf(search.staff, ['true', 'false']),
    order: orderOf(search.order, SORTS),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const accountsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/accounts/',
  validateSearch: readAccountSearch,
  component: pageComponent(AccountsPage, function Accounts() {
    return <AccountsPage search={accountsRoute.useSearch()} />;
  }),
});
