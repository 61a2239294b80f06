/** Starts the worker that lays graphs out: its script is long. */

/** As the loader of a page with a graph, it does so when a pointer or the keyboard comes to a link to the page. */
export function startLayoutWorker(): void {
  void import('./layout.ts').then(({ layoutEngine }) => layoutEngine());
}
