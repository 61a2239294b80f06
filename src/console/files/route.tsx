import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { pageComponent } from '../shell/page-component.ts';
import { readFileSearch } from './file-search.ts';

const FilesPage = lazyRouteComponent(() => import('./files-page.tsx'), 'FilesPage');

export const filesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/files/',
  validateSearch: readFileSearch,
  component: pageComponent(FilesPage, function Files() {
    return <FilesPage search={filesRoute.useSearch()} />;
  }),
});
