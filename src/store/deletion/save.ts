/**
 * Deletes a record that is not needed any more. First it is hidden, in a transaction that excludes new references to
 * it; then its rows are removed if it has no history. `finishDeletions` completes deletions of programs that died in
 * between.
 */
import { AppError } from '../../domain/errors.ts';
import { CATALOG_LOCK, takeLock } from '../locks.ts';
import type { Sql } from '../sql/sql.ts';
import { hasHistory, removeRows } from './history.ts';
import {
  type DeletableKind,
  excludeUsers,
  hiddenById,
  type Named,
  type Target,
  targetById,
} from './kinds.ts';
import { indirectUseOf, type Needs, needsOf } from './needs.ts';

/** What a deletion does, or would do: `hidden` records may come back, `removed` ones leave nothing. */
export type Deletion =
  | { readonly outcome: 'hidden' | 'removed' }
  | { readonly outcome: 'refused'; readonly needs: Needs };

/** What the deletion would do now. */
export async function previewDeletion(sql: Sql, target: Target): Promise<Deletion> {
  const needs = await needsOf(sql, target, await indirectUseOf(sql, target));
  if (needs.listed.length > 0) return { outcome: 'refused', needs };
  return { outcome: (await hasHistory(sql, target)) ? 'hidden' : 'removed' };
}

const INACTIVE = 'is_active = false, deprecated = coalesce(deprecated, at), last_modified = at';
const HIDING: Readonly<Record<DeletableKind, string>> = {
  workspace: INACTIVE,
  strike: 'is_paused = true, last_modified = at',
  scan: 'last_modified = at',
  dataset: '',
  batch: 'last_modified = greatest(last_modified, at)',
  job_type: INACTIVE,
  recipe_type: INACTIVE,
};

async function hide(tx: Sql, { kind, id }: Target, nowMs: number): Promise<void> {
  const changes = ['deleted = at', HIDING[kind]].filter((text) => text !== '').join(', ');
  await tx.execute(
    `update ${kind} set ${changes} from to_timestamp($2::float8 / 1000) as at where id = $1 and deleted is null`,
    [id, nowMs],
  );
  await tx.execute(
    `insert into deletion_under_way (kind, record_id, begun) values ($1, $2, now())
     on conflict (kind, record_id) do update set begun = excluded.begun`,
    [kind, id],
  );
  if (kind === 'recipe_type') {
    // Other types are no longer inside it.
    await tx.execute('delete from recipe_type_job_type where recipe_type_id = $1', [id]);
    await tx.execute('delete from recipe_type_sub_type where recipe_type_id = $1', [id]);
  }
}

/**
 * `settle` runs before the record is hidden, if nothing was found to need it. Throws NOT_FOUND if it has been deleted
 * meanwhile, STORE_UNAVAILABLE if commits under way take long.
 */
export async function deleteRecord(
  sql: Sql,
  target: Target,
  nowMs: number,
  settle: () => Promise<void>,
): Promise<Deletion> {
  const ways = await indirectUseOf(sql, target);
  const needs = await needsOf(sql, target, ways);
  if (needs.listed.length > 0) return { outcome: 'refused', needs };
  await settle();
  const late = await sql.transaction(async (tx) => {
    await takeLock(tx, CATALOG_LOCK);
    await excludeUsers(tx);
    if ((await targetById(tx, target.kind, target.id)) === undefined)
      throw new AppError('NOT_FOUND', 'it has been deleted meanwhile');
    const found = await needsOf(tx, target, ways, true);
    if (found.listed.length === 0) await hide(tx, target, nowMs);
    return found;
  });
  if (late.listed.length > 0) return { outcome: 'refused', needs: late };
  return { outcome: await finish(sql, target) };
}

async function finish(sql: Sql, target: Named): Promise<'hidden' | 'removed'> {
  if (await hasHistory(sql, target)) {
    await sql.execute('delete from deletion_under_way where kind = $1 and record_id = $2', [
      target.kind,
      target.id,
    ]);
    return 'hidden';
  }
  return removeRows(sql, target);
}

/** limit: deletions that one call finishes. */
const FINISHED_MAX = 20;
/** How long the program that began a deletion has to finish it. */
const OWN_S = 10;

const LEFT = /* sql */ `
  select kind, record_id as id from deletion_under_way
  where begun < now() - interval '${OWN_S} s' order by begun, kind, record_id limit ${FINISHED_MAX}`;

/**
 * Removes hidden records whose deletion was interrupted, where they have no history. Safe to repeat or to run beside
 * the deletion itself: rows are removed once. True: there may be more.
 */
export async function finishDeletions(sql: Sql): Promise<boolean> {
  const left = await sql.execute<Pick<Target, 'kind' | 'id'>>(LEFT);
  for (const { kind, id } of left) {
    // If the record was brought back or removed meanwhile, nothing is left to do; its lock is taken before that is
    // checked again.
    const hidden = await hiddenById(sql, kind, id);
    if (hidden === undefined) await removeRows(sql, { kind, id });
    else await finish(sql, hidden);
  }
  return left.length === FINISHED_MAX;
}
