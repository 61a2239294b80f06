/**
 * Updates the recipe types that contain a job or recipe type to its new revision, then those that contain them, and so
 * on. A recipe type that would become invalid is not changed; the request records why. The request is saved with the
 * revision. A few recipe types are updated in the same transaction; if there are more, the actor of type updates
 * updates them page by page, so that other writes to the catalog continue in between.
 */
import { setImmediate } from 'node:timers/promises';
import { TYPE_UPDATES } from '../../actors/type-update/type-update.messages.ts';
import type { Problem } from '../../domain/validation.ts';
import type { System } from '../../kernel/mod.ts';
import { CATALOG_LOCK, takeLock } from '../../store/locks.ts';
import type { Sql } from '../../store/sql/sql.ts';
import {
  beginTypeUpdate,
  bytesOfMembers,
  completeTypeUpdate,
  innerMembers,
  lockTypeUpdate,
  type MemberOutcome,
  membersBehind,
  type NewRevision,
  oldestTypeUpdate,
  settleMembers,
  waitingMembers,
} from '../../store/type-update/save.ts';
import { checkDefinitions } from '../shared/definition-lookups.ts';
import { outcomeOf, raisedDefinition } from './raising.ts';
import { typeUpdatePath } from './routes.ts';

/** limit: recipe types of one page, and bytes of their definitions, because other writes wait during a page. */
const PAGE = { members: 20, bytes: 1024 * 1024 };
/** limit: bytes of definitions that are read with the revision itself, which may be saved on the event loop. */
const BYTES_AT_ONCE = 256 * 1024;
/** limit: pages that are done in the transaction of the revision. Every level of nested recipe types takes one. */
const PAGES_AT_ONCE = 8;

/**
 * Requests updates of the recipe types `ids`, which contain the type, and of all above them, in a transaction that
 * holds the catalog's lock. Resolves with warnings: the types that could not be updated, or where to see the progress.
 */
export async function requestTypeUpdate(
  tx: Sql,
  revision: NewRevision,
  ids: readonly number[],
  nowMs: number,
): Promise<readonly Problem[]> {
  const begun = await beginTypeUpdate(tx, revision, ids, nowMs);
  if (begun === undefined) return [];
  // Requests are processed in order, so this one waits for earlier ones.
  const isFirst = (await oldestTypeUpdate(tx)) === begun.id;
  if (begun.total > PAGE.members || !isFirst) return [continuesLater(begun)];
  if ((await bytesOfMembers(tx, begun.id)) > BYTES_AT_ONCE) return [continuesLater(begun)];
  let isDone = false;
  for (let pages = 0; pages < PAGES_AT_ONCE && !isDone; pages++)
    isDone = await advanceOne(tx, begun.id, nowMs);
  if (!isDone) return [continuesLater(begun)];
  return (await membersBehind(tx, begun.id, PAGE.members)).map(({ name, reason }) => {
    const description = `the recipe type '${name}' keeps its revision: ${reason}`;
    return { name: 'RECIPE_NOT_UPDATED', description, path: '' };
  });
}

function continuesLater({ id, total }: { readonly id: number; readonly total: number }): Problem {
  const description = `${total} recipe types are being updated to the new revision: see ${typeUpdatePath(id)}`;
  return { name: 'RECIPES_BEING_UPDATED', description, path: '' };
}

/** A wake-up; poll: the actor's reconciliation finds requests that are not done. */
export function wakeTypeUpdates(system: Pick<System, 'tell'>): void {
  system.tell(TYPE_UPDATES, { type: 'wake' });
}

/** Does the next page of the oldest request. Returns whether no request is left. */
export async function advanceTypeUpdates(sql: Sql, nowMs: number): Promise<boolean> {
  const id = await oldestTypeUpdate(sql);
  if (id === undefined) return true;
  await sql.transaction(async (tx) => {
    await takeLock(tx, CATALOG_LOCK);
    await advanceOne(tx, id, nowMs);
  });
  return false;
}

/** Returns whether the request is done. */
async function advanceOne(tx: Sql, id: number, nowMs: number): Promise<boolean> {
  const update = await lockTypeUpdate(tx, id);
  if (update === undefined) return true;
  const members = await waitingMembers(tx, id, PAGE);
  if (members.length === 0) {
    await completeTypeUpdate(tx, id, nowMs);
    return true;
  }
  const holderIds = members.map((member) => member.id);
  const inner = Map.groupBy(await innerMembers(tx, id, holderIds), (one) => one.holderId);
  const wanted = members.map((member) => {
    const definition = raisedDefinition(member, update, inner.get(member.id) ?? []);
    return { name: member.name, document: definition };
  });
  const changed = wanted.filter(({ document }, at) => document !== members[at]?.definition);
  const checked = await checkDefinitions(tx, changed);
  const outcomes: MemberOutcome[] = [];
  for (const member of members) {
    const check = checked.get(member.name);
    outcomes.push(outcomeOf(member, check?.(), inner.get(member.id) ?? []));
    // Definitions may have a thousand nodes, so the event loop is released after each.
    await setImmediate();
  }
  await settleMembers(tx, id, outcomes, nowMs);
  return false;
}
