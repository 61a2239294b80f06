import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { choiceOf, type Search } from '../search.ts';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import type { MetricsSearch } from './metrics-page.tsx';

/** What there are figures of, as `/v6/metrics/` lists it. */
const TYPES = ['errors', 'ingests', 'job-types', 'scan-ingests'] as const;
const MetricsPage = lazyPage(() => import('./metrics-page.tsx'), 'MetricsPage');

function readMetricsSearch(search: Search): MetricsSearch {
  const listed = (value: Search[string] | undefined) => (value === undefined ? undefined : [value].flat());
  const all = {
    type: choiceOf(search.type, TYPES),
    column: listed(search.column),
    choice: listed(search.choice)?.filter((one) => /^[1-9]\d{0,14}$/.test(one)),
    range: choiceOf(search.range, ['P1D', 'P7D', 'P31D']),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export const metricsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/metrics/',
  validateSearch: readMetricsSearch,
  component: pageComponent(MetricsPage, function Metrics() {
    return <MetricsPage search={metricsRoute.useSearch()} />;
  }),
});
