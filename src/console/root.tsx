/** The root of all pages: the frame around them, and the page for unknown addresses. */
import { createRootRouteWithContext, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Empty, Failure, useIsBack } from './parts/states.tsx';
import type { VisitContext } from './read-ahead.ts';
import { Shell } from './shell/shell.tsx';

export const root = createRootRouteWithContext<VisitContext>()({
  component: Shell,
  errorComponent: ({ error }) => <PageFailure error={error} />,
  notFoundComponent: () => (
    <Empty title="The console has no such page">
      <Link to="/">Overview</Link>
    </Empty>
  ),
});

/** A page whose code could not be fetched is loaded again when the service is back. */
function PageFailure({ error }: { readonly error: unknown }) {
  const isBack = useIsBack();
  useEffect(() => {
    if (isBack) location.reload();
  }, [isBack]);
  return <Failure error={error} retry={() => location.reload()} />;
}
