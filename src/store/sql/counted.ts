/** Reads the numbers of rows that triggers count for lists. `metrics/list-counts.ts` names the lists. */

import { isNoTrial } from './trials.ts';

/** The columns that rows are counted by, as in the triggers, and the types of their values. */
export interface CountedBy {
  readonly kind: 'file' | 'file_batch' | 'ingest' | 'job' | 'job_batch' | 'recipe' | 'recipe_batch';
  /** By column with its alias, such as `j.status`. */
  readonly facets: Readonly<Record<string, string>>;
}

const OF_NO_TRIAL = isNoTrial(`coalesce((facets->>'job_type_id')::bigint, 0)`);

/** A statement for `count`. `where` uses the facets' expressions. */
export function countStatement(counted: CountedBy, where: string): string {
  return /* sql */ `select coalesce(sum(c.count), 0)::bigint as count from ${countedRows(counted)} as c ${where}`;
}

/** The counters as they are now, `facets` and `count`: those that are folded, and what statements have added since. */
export function countedRows({ kind }: CountedBy): string {
  const which = `kind = '${kind}'${kind === 'job' || kind === 'file' ? ` and ${OF_NO_TRIAL}` : ''}`;
  return /* sql */ `(
    select facets, count from list_count where ${which}
    union all select facets, count from list_count_delta where ${which})`;
}
