/** Saves and removes filters that people keep for themselves. */
import { AppError } from '../../domain/errors.ts';
import { assert } from '../../lib/assert.ts';
import { SAVED_FILTERS_LOCK, takeLock } from '../locks.ts';
import type { Sql } from '../sql/sql.ts';

export interface NewSavedFilter {
  readonly accountId: number;
  readonly list: string;
  readonly title: string;
  readonly search: string;
  readonly nowMs: number;
}

/** limit: filters of one account. */
const FILTERS_MAX = 200;

/** Counts the filters of the account, except the one that would be replaced. */
const COUNT = /* sql */ `
  select count(*)::int as count from saved_filter
  where account_id = $1 and (list, title) is distinct from ($2::text, $3::text)`;
const SAVE = /* sql */ `
  insert into saved_filter (account_id, list, title, search, created)
  values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
  on conflict (account_id, list, title) do update set search = excluded.search   -- = saved_filter_title_key
  returning id`;

/** Replaces the filter of this title. Resolves with its id. Throws CONFLICT when the account has too many. */
export function saveFilter(sql: Sql, filter: NewSavedFilter): Promise<number> {
  const { accountId, list, title, search, nowMs } = filter;
  return sql.transaction(async (tx) => {
    // One at a time, so that the limit is exact.
    await takeLock(tx, SAVED_FILTERS_LOCK);
    const [known] = await tx.execute<{ count: number }>(COUNT, [accountId, list, title]);
    if ((known?.count ?? 0) >= FILTERS_MAX) {
      throw new AppError('CONFLICT', `there are ${FILTERS_MAX} saved filters: remove some first`);
    }
    const [saved] = await tx.execute<{ id: number }>(SAVE, [accountId, list, title, search, nowMs]);
    assert(saved !== undefined, 'an insert answers its row');
    return saved.id;
  });
}

/** Throws NOT_FOUND if the account has no such filter. */
export async function removeFilter(sql: Sql, accountId: number, id: number): Promise<void> {
  const text = 'delete from saved_filter where id = $1 and account_id = $2 returning id';
  const rows = await sql.execute(text, [id, accountId]);
  if (rows.length === 0) throw new AppError('NOT_FOUND', 'there is no such saved filter');
}
