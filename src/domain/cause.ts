/**
 * Causes: why a job, recipe node or file waits, or why it ended as it did. Each has a name, a sentence, the amounts
 * that were compared, the objects that it is about, the time since when it holds, and what would help. Causes are
 * computed by the code that also decides.
 */

/** Programs rely on these names: a name never changes its meaning. docs/why.md explains each. */
export const CAUSE_NAMES = [
  'scheduler-paused',
  'job-type-paused',
  'retry-pause',
  'job-type-limit',
  'no-node',
  'no-executor',
  'resources-on-no-node',
  'workspace-inactive',
  'workspace-unreached',
  'node-paused',
  'node-offline',
  'node-degraded',
  'node-deprecated',
  'nodes-busy',
  'node-reserved',
  'behind-others',
  'next-pass',
  'tried-again',
  'running',
  'node-silent',
  'failed',
  'tries-used-up',
  'canceled',
  'superseded',
  'ingest-waits',
  'strike-waits',
  'scan-waits',
  'waits-for-parents',
  'blocked-by-parent',
  'blocked-from-outside',
  'recipe-without-input',
  'condition-refused',
  'condition-accepted',
  'parent-absent',
  'condition-open',
  'node-due',
  'purged',
  'ingested',
  'no-recipe',
  'transferring',
  'ingesting',
  'deferred',
  'duplicate',
  'ingest-failed',
  'product',
  'nothing-looks',
  'strike-paused',
  'hidden-name',
  'in-sub-directory',
  'transfer-suffix',
  'no-rule',
  'rule-not-applied',
  'recipe-takes-no-such-file',
  'not-seen',
  'not-scanned',
] as const;
export type CauseName = (typeof CAUSE_NAMES)[number];

export interface Amount {
  /** What is counted: a resource, `jobs`, `tries`, `seconds`, … */
  readonly name: string;
  readonly wanted: number;
  readonly there: number;
  /** The hostname of the node that has `there`; null if the amount does not belong to a node. */
  readonly node: string | null;
}

export const SUBJECT_KINDS = [
  'batch',
  'condition',
  'error',
  'file',
  'ingest',
  'job',
  'job_type',
  'node',
  'recipe',
  'recipe_node',
  'recipe_type',
  'rule',
  'scan',
  'strike',
  'workspace',
] as const;

/** An object that a cause is about. A rule's `id` is its position in the configuration, from 0. */
export interface Subject {
  readonly kind: (typeof SUBJECT_KINDS)[number];
  readonly id: number | null;
  readonly name: string | null;
}

/** A complete call of the interface that helps. A GET returns what to read next. */
export interface Action {
  /** What it does, as the label of a button. */
  readonly title: string;
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface Cause {
  readonly name: CauseName;
  /** For people; the words may change. */
  readonly reason: string;
  readonly sinceMs: number | null;
  readonly amounts: readonly Amount[];
  readonly subjects: readonly Subject[];
  /** What would help; null if one can only wait. */
  readonly help: string | null;
  /** The call that helps; null if it is not a single call. */
  readonly action: Action | null;
}

interface CauseParts {
  readonly reason: string;
  readonly sinceMs?: number | null | undefined;
  readonly amounts?: readonly Amount[];
  readonly subjects?: readonly Subject[];
  readonly help?: string;
  readonly action?: Action;
}

export function cause(name: CauseName, parts: CauseParts): Cause {
  const { reason, sinceMs = null, amounts = [], subjects = [], help = null, action = null } = parts;
  return { name, reason, sinceMs, amounts, subjects, help, action };
}

export function requeueOf(jobIds: readonly number[]): Action {
  const title = jobIds.length === 1 ? `Queue job ${jobIds[0]} again` : `Queue ${jobIds.length} jobs again`;
  return { title, method: 'POST', path: '/v6/jobs/requeue/', body: { job_ids: jobIds } };
}

export function readRecipe(id: number): Action {
  return { title: `Show recipe ${id}`, method: 'GET', path: `/v6/recipes/${id}/why/`, body: null };
}

export function subject(kind: Subject['kind'], id: number | null, name: string | null = null): Subject {
  return { kind, id, name };
}
