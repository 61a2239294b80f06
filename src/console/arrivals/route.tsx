import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readArrivalSearch } from './arrival-search.ts';

const ArrivalsPage = lazyPage(() => import('./arrivals-page.tsx'), 'ArrivalsPage');

export const arrivalsRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/arrivals/',
  validateSearch: readArrivalSearch,
  component: pageComponent(ArrivalsPage, function Arrivals() {
    return <ArrivalsPage search={arrivalsRoute.useSearch()} />;
  }),
});
