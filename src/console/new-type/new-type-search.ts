/** The parameters in the address of the page that creates a recipe type. */
import { present, type Search, textOf } from '../search.ts';

/** The job type that the first node runs. Without it, the draft has no nodes. */
export interface NewTypeSearch {
  readonly job_type?: string | undefined;
  readonly version?: string | undefined;
}

export function readNewTypeSearch(search: Search): NewTypeSearch {
  return present<NewTypeSearch>({ job_type: textOf(search.job_type), version: textOf(search.version) });
}
