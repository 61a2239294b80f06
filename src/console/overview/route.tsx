import { createRoute } from '@tanstack/react-router';
import { fetchPlot } from '../charts/time-chart.tsx';
import { root } from '../root.tsx';
import { choiceOf, present, type Search } from '../search.ts';
import { OverviewPage, type OverviewSearch } from './overview-page.tsx';

export const overviewRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search: Search) =>
    present<OverviewSearch>({ range: choiceOf(search.range, ['PT1H', 'P1D']) }),
  loader: () => void fetchPlot().catch(() => undefined), // a chart says so, where one is shown
  component: function Overview() {
    return <OverviewPage {...overviewRoute.useSearch()} />;
  },
});
