/** Reads the data of a page at once when a click leads there, while the router and React still prepare the page. */
import type { QueryClient } from '@tanstack/react-query';

export interface VisitContext {
  /** Undefined until it is known who uses the console: a call before that might be refused. */
  readonly queries: QueryClient | undefined;
}

interface Visit {
  readonly context: VisitContext;
  /** Only the code of the page is fetched: the pointer is at a link to it. */
  readonly preload: boolean;
}

/** Failures are reported where the data is shown, which reads it again. */
export function readAhead(
  { context: { queries }, preload }: Visit,
  read: (queries: QueryClient) => void,
): void {
  if (queries !== undefined && !preload) read(queries);
}
