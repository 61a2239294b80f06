/**
 * Removes records that a set no longer has: only those with the label of the set. Strikes are paused, types with
 * history are deprecated, and unused records are deleted. Files in workspaces are never changed.
 */
import { isJsonObject, type JsonObject } from '../../domain/document/json-value.ts';
import { type Desired, KINDS, keyOf, PRUNED_LABEL, SET_LABEL, titleOf } from './documents.ts';
import { isRefusal, type Records, type Reference, type ServerRecord } from './server.ts';

export type PruneOutcome = 'deleted' | 'paused' | 'deprecated' | 'left';

export interface PruneDone {
  readonly reference: Reference;
  readonly outcome: PruneOutcome;
  /** Why it was not deleted. */
  readonly reason: string;
}

/** Records of sets that are on the server and not in the files. */
export interface PruneCandidates {
  readonly stale: readonly Reference[];
  /** Those that a prune would leave as they are. Nobody has to be asked about them. */
  readonly kept: readonly PruneDone[];
}

export const NO_CANDIDATES: PruneCandidates = { stale: [], kept: [] };

/** Each record comes before those that it refers to. */
export async function pruneCandidates(
  sets: ReadonlySet<string>,
  records: readonly Desired[],
  server: Records,
): Promise<PruneCandidates> {
  const wanted = new Set(records.map(keyOf));
  const found: Reference[] = [];
  for (const kind of KINDS.toReversed()) {
    for (const set of sets) {
      const listed = await server.list(kind, `${SET_LABEL}:${set}`);
      const others = listed.filter((reference) => !wanted.has(keyOf(reference)));
      // Later recipe types may contain earlier ones.
      found.push(...(kind === 'recipe_type' ? others.toReversed() : others));
    }
  }
  const others = new Set(found.map(keyOf));
  const stale: Reference[] = [];
  const kept: PruneDone[] = [];
  for (const reference of found) {
    const settled = await settledAs(reference, others, server);
    if (settled === undefined) stale.push(reference);
    else kept.push(settled);
  }
  return { stale, kept };
}

/**
 * The outcome of a prune that would change nothing; undefined if it would change something. `others` are pruned with
 * it, so that what they need of the record does not count.
 */
async function settledAs(
  reference: Reference,
  others: ReadonlySet<string>,
  server: Records,
): Promise<PruneDone | undefined> {
  const current = await server.find(reference);
  if (current === undefined) return undefined;
  const { kind } = reference;
  const container = containersOf(current).find((name) => !others.has(keyOf({ kind: 'recipe_type', name })));
  if (container !== undefined) return { reference, outcome: 'left', reason: containedIn(container) };
  const { is_paused: isPaused, is_active: isActive } = current.fields;
  const isType = kind === 'job_type' || kind === 'recipe_type';
  if (isType ? isActive !== false : kind === 'strike' && isPaused !== true) return undefined;
  const obstacle = await obstacleTo(reference, server).catch((error: unknown) => {
    // Without a preview it is unknown whether the prune would change something, so the person is asked.
    if (isRefusal(error, 404, 405, 409, 501)) return undefined;
    throw error;
  });
  if (obstacle === undefined) return undefined;
  if (kind === 'strike') return { reference, outcome: 'paused', reason: obstacle.reason };
  if (isType) return { reference, outcome: 'deprecated', reason: obstacle.reason };
  const lasting = obstacle.needs.find(({ key }) => !others.has(key));
  if (obstacle.needs.length > 0 && lasting === undefined) return undefined;
  return { reference, outcome: 'left', reason: lasting?.reason ?? obstacle.reason };
}

export async function prune(reference: Reference, server: Records): Promise<PruneDone> {
  // Records that were pruned before may have changed it.
  server.forget(reference);
  const current = await server.find(reference);
  if (current === undefined) return { reference, outcome: 'deleted', reason: '' };
  const { kind } = reference;
  const mark = { labels: { ...current.labels, [PRUNED_LABEL]: 'true' } };
  // A strike that is not paused is in use.
  if (kind === 'strike' && current.fields.is_paused !== true)
    await server.edit(reference, { is_paused: true, ...mark });
  const [container] = containersOf(current);
  const reason = container === undefined ? await tryRemoval(reference, server) : containedIn(container);
  if (reason === undefined) return { reference, outcome: 'deleted', reason: '' };
  if (kind === 'strike') return { reference, outcome: 'paused', reason };
  // Deprecating it would also deprecate the recipe types that contain it, which may belong to other sets.
  if (container === undefined && (kind === 'job_type' || kind === 'recipe_type')) {
    if (current.fields.is_active !== false) await server.edit(reference, { is_active: false, ...mark });
    return { reference, outcome: 'deprecated', reason };
  }
  return { reference, outcome: 'left', reason };
}

/** Names of active recipe types that contain the type. */
function containersOf({ fields }: ServerRecord): readonly string[] {
  const { recipe_types: withJob = [], super_recipe_types: withRecipe = [] } = fields as {
    readonly recipe_types?: readonly JsonObject[];
    readonly super_recipe_types?: readonly JsonObject[];
  };
  return [...withJob, ...withRecipe].filter((one) => one.is_active === true).map(({ name }) => String(name));
}

function containedIn(name: string): string {
  return `the recipe type '${name}' contains it`;
}

/** Undefined: it was deleted. Otherwise the reason why not: something needs it, or it has history. */
async function tryRemoval(reference: Reference, server: Records): Promise<string | undefined> {
  try {
    const obstacle = await obstacleTo(reference, server);
    if (obstacle !== undefined) return obstacle.reason;
    await server.remove(reference, false);
    return undefined;
  } catch (error) {
    if (isRefusal(error, 405, 501)) return 'this server cannot delete it';
    if (isRefusal(error, 409)) return (error as { detail?: string }).detail ?? 'it is in use';
    if (!isRefusal(error, 404)) throw error;
    server.forget(reference);
    return (await server.find(reference)) === undefined ? undefined : 'this server cannot delete it';
  }
}

interface Obstacle {
  readonly reason: string;
  /** What needs the record, with keys as `keyOf` makes them. Empty: it has a history. */
  readonly needs: readonly { readonly key: string; readonly reason: string }[];
}

/** Why the record cannot be deleted, as the preview of its deletion says; undefined: it can. */
async function obstacleTo(reference: Reference, server: Records): Promise<Obstacle | undefined> {
  const preview = await server.remove(reference, true);
  if (!isJsonObject(preview)) return undefined;
  if (preview.outcome === 'hidden') return { reason: 'it has a history', needs: [] };
  if (preview.outcome !== 'refused') return undefined;
  const needs = preview.needed_by as readonly { kind: string; name: string | null; reason: string }[];
  return {
    reason: needs[0]?.reason ?? 'it is in use',
    // The preview names a job type with its version, as the key does.
    needs: needs.map(({ kind, name, reason }) => ({ key: `${kind} ${name}`, reason })),
  };
}

export function pruneLine({ reference, outcome, reason }: PruneDone): string {
  return `${titleOf(reference)} ${outcome}${reason === '' ? '' : ` (${reason})`}`;
}
