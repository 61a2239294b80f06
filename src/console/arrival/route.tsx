import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';

const ArrivalPage = lazyPage(() => import('./arrival-page.tsx'), 'ArrivalPage');

export const arrivalRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/arrivals/$id/',
  component: pageComponent(ArrivalPage, function Arrival() {
    const { id } = arrivalRoute.useParams();
    return <ArrivalPage key={id} id={Number(id)} />;
  }),
});
