/** Starts the worker that lays graphs out, ahead of its first use, because its script is large. */

/** Called when the browser is idle, and by the loaders of pages with graphs, which may be opened before that. */
export function startLayoutWorker(): void {
  void import('./layout.ts').then(({ layoutEngine }) => layoutEngine());
}
