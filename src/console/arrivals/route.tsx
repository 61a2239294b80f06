import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { pageComponent } from '../shell/page-component.ts';
import { readArrivalSearch } from './arrival-search.ts';

const ArrivalsPage = lazyRouteComponent(() => import('./arrivals-page.tsx'), 'ArrivalsPage');

export const arrivalsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/arrivals/',
  validateSearch: readArrivalSearch,
  component: pageComponent(ArrivalsPage, function Arrivals() {
    return <ArrivalsPage search={arrivalsRoute.useSearch()} />;
  }),
});
