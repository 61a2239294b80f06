import { createRoute } from '@tanstack/react-router';
import { fetchPlot } from '../charts/time-chart.tsx';
import { readAhead } from '../read-ahead.ts';
import { root } from '../root.tsx';
import { choiceOf, present, type Search } from '../search.ts';
import { OverviewPage, type OverviewSearch } from './overview-page.tsx';
import { activity, loadOfHour, overview, systemStatus } from './queries.ts';

const RANGES = ['PT1H', 'P1D'] as const;

export const overviewRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search: Search) => present<OverviewSearch>({ range: choiceOf(search.range, RANGES) }),
  loader(visit) {
    const { range }: Search = visit.location.search;
    readAhead(visit, (queries) => {
      void queries.prefetchQuery(overview);
      void queries.prefetchQuery(systemStatus);
      void queries.prefetchQuery(activity(choiceOf(range, RANGES) ?? 'PT1H'));
      void queries.prefetchQuery(loadOfHour);
    });
    void fetchPlot().catch(() => undefined); // a chart says so, where one is shown
  },
  component: function Overview() {
    return <OverviewPage {...overviewRoute.useSearch()} />;
  },
});
