/** What a part of a page shows while its data is read, after a failure, and when there is nothing. */
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { RefusedError, UnreachableError, UnusableAnswerError } from '../../client/errors.ts';
import { nextStep } from '../../client/next-steps.ts';
import { goToLogin } from '../account.ts';
import { sentence } from '../format/sentence.ts';
import { useLive } from '../shell/live-context.tsx';

interface Words {
  readonly what: string;
  /** What to do. */
  readonly help: string;
  /** What is wrong with a refused request. */
  readonly problems?: readonly string[];
  /** What whoever runs the service finds the failure by. */
  readonly trace?: string;
}

/** What happened, and what to do. */
function wordsOf(error: unknown): Words {
  if (error instanceof RefusedError) {
    const { code, detail, problems, requestId } = error;
    const texts = problems.map(({ path, description }) =>
      path === '' ? description : `${path}: ${description}`,
    );
    return {
      what: sentence(detail),
      help: `${sentence(nextStep(error))}.`,
      // A single problem usually is the detail.
      problems: texts.length === 1 && detail.includes(texts[0] ?? '') ? [] : [...new Set(texts)],
      trace: requestId === undefined ? code : `${code}, request ${requestId}`,
    };
  }
  if (error instanceof UnreachableError) {
    return { what: 'The service does not answer.', help: 'Check that a coordinator runs, then try again.' };
  }
  if (error instanceof UnusableAnswerError) {
    return {
      what: 'The answer is not one of this service.',
      help: 'See whether a proxy stands before the service, and reload the page.',
      trace: error.message,
    };
  }
  return {
    what: 'This part could not be shown.',
    help: 'Reload the page. If it fails again, report it with the following text.',
    trace: error instanceof Error ? error.message : String(error),
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
  const isLost = error instanceof UnreachableError;
  const { what, help, problems = [], trace }: Words = isBack && isLost ? BACK : wordsOf(error);
  return (
    <div className="failure" role="alert">
      <strong>{what}</strong>
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <p>{help}</p>
      {trace !== undefined && <p className="soft">{trace}</p>}
      {error instanceof RefusedError && error.status === 401 && (
        <button type="button" onClick={goToLogin}>
          Log in
        </button>
      )}
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
