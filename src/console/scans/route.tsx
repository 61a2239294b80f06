import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { orderOf, type Search, textOf } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { ScanSearch } from './scans-page.tsx';

const ScansPage = lazyPage(() => import('./scans-page.tsx'), 'ScansPage');
const NewScanPage = lazyPage(() => import('./new-scan-page.tsx'), 'NewScanPage');
const SORTS = ['id', 'name', 'title', 'file_count', 'last_modified'] as const;

function readScanSearch(search: Search): ScanSearch {
  const all = {
    name: textOf(search.name),
    order: orderOf(search.order, SORTS),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const scansRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/scans/',
  validateSearch: readScanSearch,
  component: pageComponent(ScansPage, function Scans() {
    return <ScansPage search={scansRoute.useSearch()} />;
  }),
});

export const newScanRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/scans/new/',
  component: NewScanPage,
});
