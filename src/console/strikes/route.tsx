import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readStrikeSearch } from './strike-search.ts';

const StrikesPage = lazyPage(() => import('./strikes-page.tsx'), 'StrikesPage');

export const strikesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/strikes/',
  validateSearch: readStrikeSearch,
  component: pageComponent(StrikesPage, function Strikes() {
    return <StrikesPage search={strikesRoute.useSearch()} />;
  }),
});
