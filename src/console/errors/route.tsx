import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, orderOf, type Search, textOf } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { ErrorSearch } from './errors-page.tsx';

const ErrorsPage = lazyPage(() => import('./errors-page.tsx'), 'ErrorsPage');
const SORTS = ['name', 'title', 'category', 'job_type_name', 'last_modified'] as const;

function readErrorSearch(search: Search): ErrorSearch {
  const all = {
    range: choiceOf(search.range, ['PT1H', 'P1D', 'P7D']),
    known: choiceOf(search.known, ['true', 'false']),
    category: choiceOf(search.category, ['SYSTEM', 'DATA', 'ALGORITHM']),
    type: textOf(search.type),
    order: orderOf(search.order, SORTS),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const errorsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/errors/',
  validateSearch: readErrorSearch,
  component: pageComponent(ErrorsPage, function Errors() {
    return <ErrorsPage search={errorsRoute.useSearch()} />;
  }),
});
