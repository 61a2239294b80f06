import { createRoute } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { lazyPage, pageComponent } from '../shell/page-component.ts';
import { readFileSearch } from './file-search.ts';

const FilesPage = lazyPage(() => import('./files-page.tsx'), 'FilesPage');

export const filesRoute = createRoute({
  getParentRoute: () => root,
  path: '/console/files/',
  validateSearch: readFileSearch,
  component: pageComponent(FilesPage, function Files() {
    return <FilesPage search={filesRoute.useSearch()} />;
  }),
});
