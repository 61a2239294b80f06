/**
 * The key that encrypts (rows of `secret_key`) and the keys of each coordinator (`secret_key_holder`), on the
 * database's clock. A key encrypts only once every live coordinator has it, so that all can decrypt what one has
 * encrypted.
 */
import type { Sql } from '../sql/sql.ts';

/** Reports of coordinators that are gone; those of live ones are renewed every few seconds. */
const FORGET = /* sql */ `delete from secret_key_holder where reported < now() - interval '1 hour'`;

const REPORT = /* sql */ `
  insert into secret_key_holder (coordinator_id, key_ids, current_id, reported) values ($1, $2, $3, now())
  on conflict (coordinator_id) do update set key_ids = excluded.key_ids, current_id = excluded.current_id,
    reported = excluded.reported`;

const FIRST = /* sql */ `
  insert into secret_key (id, is_current, created, began)
  select $1, true, now(), now() where not exists (select 1 from secret_key)
  on conflict do nothing`;

const STATE = /* sql */ `
  select k.id, k.completed is not null as "isCompleted",
    now() - k.began > interval '1 minute' as "isSettled",
    coalesce((select bool_and(h.current_id is not distinct from k.id) from coordinator c
      left join secret_key_holder h on h.coordinator_id = c.id where c.expires > now()), false) as "isEverywhere"
  from secret_key k where k.is_current`;

/** A former key never becomes the current one again, because it may be under removal. */
const PROMOTABLE = /* sql */ `
  select 1 from secret_key where id = $1
  union all
  select 1 from coordinator c left join secret_key_holder h on h.coordinator_id = c.id
  where c.expires > now() and not coalesce($1 = any(h.key_ids), false)
  limit 1`;

const LOCK = /* sql */ `lock table secret_key in share row exclusive mode`;
const DEMOTE = /* sql */ `update secret_key set is_current = false where is_current`;
const PROMOTE = /* sql */ `
  insert into secret_key (id, is_current, created, began) values ($1, true, now(), now())`;
const COMPLETE = /* sql */ `
  update secret_key set completed = now() where id = $1 and is_current and completed is null`;

export interface KeyState {
  /** The key that encrypts. */
  readonly id: string;
  /** No secret is encrypted under another key any more. */
  readonly isCompleted: boolean;
  /** It has been the current key for so long that no transaction with an older key can still be running. */
  readonly isSettled: boolean;
  /** Every live coordinator encrypts with it. */
  readonly isEverywhere: boolean;
}

/** The key that encrypts; `firstId` if there was none before. */
export async function currentKey(sql: Sql, firstId: string): Promise<KeyState> {
  await sql.execute(FIRST, [firstId]);
  const [state] = await sql.execute<KeyState>(STATE);
  if (state === undefined) throw new Error('no key is the current one');
  return state;
}

/** Records the keys of a coordinator, which has to do so every few seconds. */
export async function reportKeys(
  sql: Sql,
  holder: { readonly self: string; readonly keyIds: readonly string[]; readonly currentId: string },
): Promise<void> {
  await sql.execute(FORGET);
  await sql.execute(REPORT, [holder.self, holder.keyIds, holder.currentId]);
}

/** Makes the key the one that encrypts, if it is new and every live coordinator has it. */
export function promoteKey(sql: Sql, id: string): Promise<boolean> {
  return sql.transaction(async (tx) => {
    await tx.execute(LOCK);
    const hindrances = await tx.execute(PROMOTABLE, [id]);
    if (hindrances.length > 0) return false;
    await tx.execute(DEMOTE);
    await tx.execute(PROMOTE, [id]);
    return true;
  });
}

/** Records that no secret is encrypted under another key any more. */
export async function completeKey(sql: Sql, id: string): Promise<void> {
  await sql.execute(COMPLETE, [id]);
}

export interface KeyOverview {
  readonly id: string;
  readonly isCurrent: boolean;
  /** Null for a key that was never used. */
  readonly began: number | null;
  readonly completed: number | null;
  /** Live coordinators that have it, and the number of live ones. */
  readonly holders: number;
  readonly coordinators: number;
}

/** Present and former keys, and those that are only in files, which have no dates. Few rows. */
export async function keyOverviews(sql: Sql): Promise<readonly KeyOverview[]> {
  return sql.execute<KeyOverview>(OVERVIEW);
}

const OVERVIEW = /* sql */ `
  with live as (
    select c.id, h.key_ids from coordinator c left join secret_key_holder h on h.coordinator_id = c.id
    where c.expires > now()
  ), known as (
    select id from secret_key union select unnest(key_ids) from live
  )
  select known.id, coalesce(k.is_current, false) as "isCurrent", k.began, k.completed,
    (select count(*) from live where known.id = any(key_ids)) as holders,
    (select count(*) from live) as coordinators
  from known left join secret_key k on k.id = known.id
  order by k.began nulls last, known.id`;
