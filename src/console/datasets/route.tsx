import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { orderOf, type Search, textOf } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { DatasetSearch } from './datasets-page.tsx';

const DatasetsPage = lazyPage(() => import('./datasets-page.tsx'), 'DatasetsPage');
const NewDatasetPage = lazyPage(() => import('./new-dataset-page.tsx'), 'NewDatasetPage');
const SORTS = ['id', 'title', 'files', 'created'] as const;

function readDatasetSearch(search: Search): DatasetSearch {
  const all = {
    words: textOf(search.words),
    order: orderOf(search.order, SORTS),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const datasetsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/datasets/',
  validateSearch: readDatasetSearch,
  component: pageComponent(DatasetsPage, function Datasets() {
    return <DatasetsPage search={datasetsRoute.useSearch()} />;
  }),
});

export const newDatasetRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/datasets/new/',
  component: NewDatasetPage,
});
