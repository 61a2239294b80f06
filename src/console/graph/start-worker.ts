/** Starts the worker that lays graphs out: its script is long. */

/**
 * Done when the browser has nothing else to do, and as the loader of a page with a graph, for who comes to one before
 * that.
 */
export function startLayoutWorker(): void {
  void import('./layout.ts').then(({ layoutEngine }) => layoutEngine());
}
