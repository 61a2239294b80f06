/** Reads the counters of lists whose rows triggers count. `metrics/list-counts.ts` says which there are. */

/** The columns that rows are counted by, as in the triggers, and the types of their values. */
export interface CountedBy {
  readonly kind: 'file' | 'file_batch' | 'ingest' | 'job' | 'job_batch' | 'recipe' | 'recipe_batch';
  /** By column with its alias, such as `j.status`. */
  readonly facets: Readonly<Record<string, string>>;
}

/** A statement for `count`. `where` uses the facets' expressions. */
export function countStatement(counted: CountedBy, where: string): string {
  return /* sql */ `select coalesce(sum(c.count), 0)::bigint as count from ${countedRows(counted)} as c ${where}`;
}

/** The counters as they are now, `facets` and `count`: those that are folded, and what statements have added since. */
export function countedRows({ kind }: CountedBy): string {
  return /* sql */ `(
    select facets, count from list_count where kind = '${kind}'
    union all select facets, count from list_count_delta where kind = '${kind}')`;
}
