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

/** Records of the sets that are on the server and not in the files; each before those that it refers to. */
export async function pruneCandidates(
  sets: ReadonlySet<string>,
  records: readonly Desired[],
  server: Records,
): Promise<readonly Reference[]> {
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
  return found;
}

export async function prune(reference: Reference, server: Records): Promise<PruneDone> {
  const current = await server.find(reference);
  if (current === undefined) return { reference, outcome: 'deleted', reason: '' };
  const { kind } = reference;
  const mark = { labels: { ...current.labels, [PRUNED_LABEL]: 'true' } };
  // A strike that is not paused is in use.
  if (kind === 'strike' && current.fields.is_paused !== true)
    await server.edit(reference, { is_paused: true, ...mark });
  const container = containerOf(current);
  const reason = container ?? (await tryRemoval(reference, server));
  if (reason === undefined) return { reference, outcome: 'deleted', reason: '' };
  if (kind === 'strike') return { reference, outcome: 'paused', reason };
  // Deprecating it would also deprecate the recipe types that contain it, which may belong to other sets.
  if (container === undefined && (kind === 'job_type' || kind === 'recipe_type')) {
    if (current.fields.is_active !== false) await server.edit(reference, { is_active: false, ...mark });
    return { reference, outcome: 'deprecated', reason };
  }
  return { reference, outcome: 'left', reason };
}

/** An active recipe type that contains the type. */
function containerOf({ fields }: ServerRecord): string | undefined {
  const { recipe_types: withJob = [], super_recipe_types: withRecipe = [] } = fields as {
    readonly recipe_types?: readonly JsonObject[];
    readonly super_recipe_types?: readonly JsonObject[];
  };
  const active = [...withJob, ...withRecipe].find((one) => one.is_active === true);
  return active === undefined ? undefined : `the recipe type '${active.name}' contains it`;
}

/** Undefined: it was deleted. Otherwise the reason why not: something needs it, or it has history. */
async function tryRemoval(reference: Reference, server: Records): Promise<string | undefined> {
  try {
    const preview = await server.remove(reference, true);
    const outcome = isJsonObject(preview) ? preview.outcome : undefined;
    if (outcome === 'hidden') return 'it has a history';
    if (outcome === 'refused') return neededBy(preview);
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

/** The first reason in the preview of a removal why the record is needed. */
function neededBy(preview: unknown): string {
  const { needed_by: needs } = preview as { readonly needed_by?: readonly { readonly reason?: string }[] };
  return needs?.[0]?.reason ?? 'it is in use';
}

export function pruneLine({ reference, outcome, reason }: PruneDone): string {
  return `${titleOf(reference)} ${outcome}${reason === '' ? '' : ` (${reason})`}`;
}
