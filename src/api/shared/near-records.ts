/** Suggestions for unknown names in a document. */
import { didYouMean, type NearRecord } from '../../domain/near-names.ts';
import { type RecordNames, recordNames } from '../../store/catalog/record-names.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** Names that were not found. */
export interface UnknownNames {
  readonly jobTypes?: readonly { readonly name: string; readonly version: string }[];
  readonly recipeTypes?: readonly string[];
  readonly workspaces?: readonly string[];
}

// limit: names of a kind for which suggestions are searched.
const NAMES_MAX = 20;
const VERSIONS_SHOWN = 5;

/** Reads the suggestions with one statement, or with none if all names are known. */
export async function nearRecords(sql: Sql, unknown: UnknownNames): Promise<NearRecord> {
  const { jobTypes = [], recipeTypes = [], workspaces = [] } = unknown;
  if (jobTypes.length + recipeTypes.length + workspaces.length === 0) return () => '';
  const names = await recordNames(sql, {
    jobTypes: jobTypes.length > 0,
    recipeTypes: recipeTypes.length > 0,
    workspaces: workspaces.length > 0,
  });
  const near = {
    job_type: new Map(jobTypes.slice(0, NAMES_MAX).map(({ name }) => [name, nearJobType(name, names)])),
    recipe_type: nearOf(recipeTypes, names.recipeTypes),
    workspace: nearOf(workspaces, names.workspaces),
  };
  return (kind, name) => near[kind].get(name) ?? '';
}

function nearOf(unknown: readonly string[], known: readonly string[]): ReadonlyMap<string, string> {
  return new Map(unknown.slice(0, NAMES_MAX).map((name) => [name, didYouMean(name, known)]));
}

/** The versions of the job type if its name exists, else the nearest name. */
function nearJobType(name: string, { jobTypes }: RecordNames): string {
  const versions = jobTypes.filter(([known]) => known === name).map(([, version]) => version);
  if (versions.length === 0) return didYouMean(name, new Set(jobTypes.map(([known]) => known)));
  const more = versions.length > VERSIONS_SHOWN ? ' …' : '';
  return `; its versions are ${versions.slice(0, VERSIONS_SHOWN).join(', ')}${more}`;
}
