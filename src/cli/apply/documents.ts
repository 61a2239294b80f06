/** What files describe: the bodies of records as the interface takes them, and where each part stands. */
import type { JsonObject } from '../../domain/document/json-value.ts';
import type { Labels } from '../../domain/labels.ts';
import type { Origin } from './origins.ts';
import type { Position } from './source.ts';

/** Each kind comes after those that it refers to. */
export const KINDS = ['workspace', 'job_type', 'recipe_type', 'strike', 'scan'] as const;
export type Kind = (typeof KINDS)[number];

/** The words for messages, and the names of a file's sections. */
export const KIND_WORDS: Readonly<Record<Kind, { readonly one: string; readonly section: string }>> = {
  workspace: { one: 'workspace', section: 'workspaces' },
  job_type: { one: 'job type', section: 'job_types' },
  recipe_type: { one: 'recipe type', section: 'recipe_types' },
  strike: { one: 'strike', section: 'strikes' },
  scan: { one: 'scan', section: 'scans' },
};

/** The label with the name of the set that a record belongs to. */
export const SET_LABEL = 'set';
/** The label of a record that `--prune` has paused or deprecated. It goes once files have the record again. */
export const PRUNED_LABEL = 'pruned';

/** One record as files describe it. */
export interface Desired {
  readonly kind: Kind;
  readonly name: string;
  /** For job types only. */
  readonly version?: string;
  /** The set of its file. */
  readonly set: string | undefined;
  /** The body of the call that creates it, `labels` included where the file has some. */
  readonly body: JsonObject;
  readonly file: string;
  /** Where its name stands. */
  readonly at: Position;
  /** The positions of the body's parts. */
  readonly origins: readonly Origin[];
}

/** `job type 'count' version '1.0.0'`, `workspace 'texts'`. */
export function titleOf({ kind, name, version }: Pick<Desired, 'kind' | 'name' | 'version'>): string {
  return `${KIND_WORDS[kind].one} '${name}'${version === undefined ? '' : ` version '${version}'`}`;
}

/** Names a record among those of its kind. */
export function keyOf({ kind, name, version }: Pick<Desired, 'kind' | 'name' | 'version'>): string {
  return `${kind} ${name}${version === undefined ? '' : ` ${version}`}`;
}

/** The labels that the file gives, and that of the set. Undefined: the file says nothing of labels. */
export function desiredLabels({ body, set }: Pick<Desired, 'body' | 'set'>): Labels | undefined {
  const given = body.labels as Labels | undefined;
  if (set === undefined) return given;
  return { ...given, [SET_LABEL]: set };
}
