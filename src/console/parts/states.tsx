/** What a part of a page shows while its data is read, after a failure, and when there is nothing. */
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { RefusedError, UnreachableError } from '../../client/errors.ts';
import { sentence } from '../format/sentence.ts';
import { useLive } from '../shell/live-context.tsx';

/** What happened, and what to do. */
export function wordsOf(error: unknown): { readonly what: string; readonly help: string } {
  if (error instanceof RefusedError) {
    if (error.status === 404) return { what: 'It does not exist.', help: sentence(error.detail) };
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    const problems = error.problems.map(({ path, description }) => `${path}: ${description}`).join('; ');
    return { what: sentence(error.detail), help: problems === '' ? `${error.code}${request}` : problems };
  }
  if (error instanceof UnreachableError) {
    return { what: 'The service does not answer.', help: 'Check that a coordinator runs, then try again.' };
  }
  return {
    what: 'This part could not be shown.',
    help: error instanceof Error ? error.message : String(error),
  };
}

/** What a lost call shows once the service is back. */
const BACK = {
  what: 'The service did not answer, and does now.',
  help: 'See whether it has happened before you try again.',
};

/** Whether the connection was lost while the component was shown, and is back. */
export function useIsBack(): boolean {
  const { state } = useLive();
  const [wasLost, setWasLost] = useState(false);
  if (state === 'lost' && !wasLost) setWasLost(true);
  return wasLost && state === 'live';
}

export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const isBack = useIsBack();
  const { what, help } = isBack && error instanceof UnreachableError ? BACK : wordsOf(error);
  return (
    <div className="failure" role="alert">
      <strong>{what}</strong>
      <p>{help}</p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** Shows data, also old data if new data cannot be read: then the header says that the connection is lost. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="hidden">Loading</span>
    </div>
  );
}
