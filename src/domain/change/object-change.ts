/** Changes of objects in the stream: the form of a stored item, and the filters of readers. */

import { INGEST_STATUSES } from '../ingest/ingest.ts';
import { JOB_STATUSES } from '../job/job.ts';

/** By kind of object: the ids of related objects in each item, in the order in which the triggers write them. */
const LINKS = {
  file: ['job_id', 'recipe_id', 'batch_id', 'job_type_id', 'recipe_type_id', 'workspace_id'],
  ingest: ['strike_id', 'scan_id', 'job_id', 'workspace_id', 'file_id'],
  job: ['recipe_id', 'batch_id', 'job_type_id', 'node_id', 'error_id', 'strike_id', 'scan_id'],
  execution: ['job_id', 'recipe_id', 'batch_id', 'job_type_id', 'node_id', 'error_id'],
  recipe: ['recipe_id', 'batch_id', 'recipe_type_id', 'ingest_id'],
  condition: ['recipe_id'],
  batch: ['recipe_type_id'],
  scan: ['workspace_id', 'job_id'],
  strike: ['workspace_id', 'job_id'],
  dataset: [],
  node: [],
  job_type: [],
  recipe_type: [],
  workspace: [],
  purge: ['file_id', 'workspace_id'],
  scheduler: [],
  failure_note: ['job_type_id', 'error_id'],
} as const;

export type ChangeKind = keyof typeof LINKS;
export const CHANGE_KINDS = Object.keys(LINKS) as ChangeKind[];

/** What happened to the object. Its statuses before and after are `from` and `to`. */
export const CHANGE_EVENTS = [
  'created',
  'status',
  'edited',
  'superseded',
  'published',
  'unpublished',
  'deleted',
  'removed',
] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

/** All statuses that objects of any kind have in the stream. */
export const CHANGE_STATUSES = [
  ...JOB_STATUSES,
  ...INGEST_STATUSES,
  // Recipes, conditions, batches.
  ...(['OPEN', 'ACCEPTED', 'REJECTED', 'CREATING', 'CREATED'] as const),
  // Scans, purges.
  ...(['IDLE', 'INGEST', 'DRY_RUN', 'WAITING'] as const),
  // Nodes, strikes, types, workspaces, the scheduler.
  ...(['ACTIVE', 'INACTIVE', 'PAUSED', 'ONLINE', 'OFFLINE'] as const),
];

export type ChangeLink = (typeof LINKS)[ChangeKind][number];

export interface ObjectChange {
  readonly kind: ChangeKind;
  readonly id: number;
  readonly version: number;
  readonly what: ChangeEvent;
  readonly from: string | null;
  readonly to: string | null;
  /** Ids of related objects; absent if there is none. */
  readonly links: Readonly<Partial<Record<ChangeLink, number>>>;
}

type Item = [
  id: number,
  version: number,
  what: ChangeEvent,
  from: string | null,
  to: string | null,
  ...links: (number | null)[],
];

/**
 * The changes in one stored row, in their order. `items`: the row's JSON text. A kind that is unknown here comes from a
 * newer coordinator, whose readers know it: there are no changes of it.
 */
export function changesOf(kind: ChangeKind, items: string): ObjectChange[] {
  if (!Object.hasOwn(LINKS, kind)) return [];
  return (JSON.parse(items) as Item[]).map(([id, version, what, from, to, ...ids]) => {
    const links: Partial<Record<ChangeLink, number>> = {};
    for (const [at, link] of LINKS[kind].entries()) {
      const value = ids[at] ?? null;
      if (value !== null) links[link] = value;
    }
    return { kind, id, version, what, from, to, links };
  });
}

/** The changes that a reader wants: those that match every list that is not empty. */
export interface ChangeFilter {
  readonly kind: readonly ChangeKind[];
  readonly what: readonly ChangeEvent[];
  readonly id: readonly number[];
  /** The status after the change (`to`). */
  readonly status: readonly string[];
  /** Ids of related objects, or of the changed object itself. */
  readonly links: Readonly<Partial<Record<ChangeLink, readonly number[]>>>;
}

/** The kind whose objects a link names. */
export const KIND_OF_LINK: Readonly<Partial<Record<ChangeLink, ChangeKind>>> = {
  recipe_id: 'recipe',
  batch_id: 'batch',
  job_id: 'job',
  strike_id: 'strike',
  scan_id: 'scan',
  node_id: 'node',
  job_type_id: 'job_type',
  recipe_type_id: 'recipe_type',
};

/** A function that checks a change against the filter. Its cost does not depend on the number of ids in the filter. */
export function changeMatcher(filter: ChangeFilter): (change: ObjectChange) => boolean {
  const kinds = new Set(filter.kind);
  const events = new Set(filter.what);
  const ids = new Set(filter.id);
  const statuses = new Set(filter.status);
  const links = Object.entries(filter.links).map(
    ([link, wanted]) => [link as ChangeLink, new Set(wanted)] as const,
  );
  return (change) =>
    (kinds.size === 0 || kinds.has(change.kind)) &&
    (events.size === 0 || events.has(change.what)) &&
    (ids.size === 0 || ids.has(change.id)) &&
    (statuses.size === 0 || (change.to !== null && statuses.has(change.to))) &&
    links.every(
      ([link, wanted]) =>
        wanted.has(change.links[link] ?? 0) || (KIND_OF_LINK[link] === change.kind && wanted.has(change.id)),
    );
}
