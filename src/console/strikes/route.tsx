import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { pageComponent } from '../shell/page-component.ts';
import { readStrikeSearch } from './strike-search.ts';

const StrikesPage = lazyRouteComponent(() => import('./strikes-page.tsx'), 'StrikesPage');

export const strikesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/strikes/',
  validateSearch: readStrikeSearch,
  component: pageComponent(StrikesPage, function Strikes() {
    return <StrikesPage search={strikesRoute.useSearch()} />;
  }),
});
