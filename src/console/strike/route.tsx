import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const StrikePage = lazyPage(() => import('./strike-page.tsx'), 'StrikePage');

export const strikeRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/strikes/$id/',
  component: pageComponent(StrikePage, function Strike() {
    const { id } = strikeRoute.useParams();
    return <StrikePage key={id} id={Number(id)} />;
  }),
});
