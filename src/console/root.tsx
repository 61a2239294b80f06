/** The root of all pages: the frame around them, and the page for unknown addresses. */
import { createRootRoute, Link } from '@tanstack/react-router';
import { Empty, Failure } from './parts/states.tsx';
import { Shell } from './shell/shell.tsx';

export const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => <Failure error={error} retry={() => location.reload()} />,
  notFoundComponent: () => (
    <Empty title="The console has no such page">
      <Link to="/">Overview</Link>
    </Empty>
  ),
});
