import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, orderOf, type Search } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { BatchSearch } from './batches-page.tsx';

const BatchesPage = lazyPage(() => import('./batches-page.tsx'), 'BatchesPage');
const NewBatchPage = lazyPage(() => import('./new-batch-page.tsx'), 'NewBatchPage');
const SORTS = ['id', 'title', 'recipe_type__title', 'created', 'last_modified'] as const;

function readBatchSearch(search: Search): BatchSearch {
  const all = {
    state: choiceOf(search.state, ['creating', 'created']),
    superseded: choiceOf(search.superseded, ['true', 'false']),
    order: orderOf(search.order, SORTS),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const batchesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/batches/',
  validateSearch: readBatchSearch,
  component: pageComponent(BatchesPage, function Batches() {
    return <BatchesPage search={batchesRoute.useSearch()} />;
  }),
});

function readNewBatch(search: Search): { readonly after?: string } {
  const [after] = [search.after].flat();
  return after !== undefined && /^[1-9]\d{0,14}$/.test(after) ? { after } : {};
}

export const newBatchRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/batches/new/',
  validateSearch: readNewBatch,
  component: pageComponent(NewBatchPage, function NewBatch() {
    return <NewBatchPage {...newBatchRoute.useSearch()} />;
  }),
});
