import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, type Search, textOf } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { AuditSearch } from './audit-page.tsx';

const AuditPage = lazyPage(() => import('./audit-page.tsx'), 'AuditPage');

function readAuditSearch(search: Search): AuditSearch {
  const all = {
    who: textOf(search.who),
    method: choiceOf(search.method, ['POST', 'PATCH', 'PUT', 'DELETE']),
    route: textOf(search.route),
    range: choiceOf(search.range, ['P1D', 'P31D']),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const auditRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/audit/',
  validateSearch: readAuditSearch,
  component: pageComponent(AuditPage, function Audit() {
    return <AuditPage search={auditRoute.useSearch()} />;
  }),
});
