/**
 * Answers to requests with an Idempotency-Key. The transaction that creates the records saves the answer, and repeats
 * read it. All times are the database's: a key is kept for a day after that transaction.
 */
import { AppError } from '../../domain/errors.ts';
import type { AnswerHead, IdempotencyKey } from '../../domain/idempotency.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql, Statement } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { IdempotencyKeyEntity } from './table.ts';

/** An answer for the transaction that creates its record. */
export interface NewAnswer extends AnswerHead {
  readonly key: IdempotencyKey;
  /** JSON; null if the answer has no body, or a secret one, or one that the statement reads. */
  readonly record: string | null;
  /** Base64 of an encrypted JSON record that must not be stored in plain text. */
  readonly secretRecord: string | null;
  /** The id of the record that the statement reads; null if it reads none. */
  readonly recordId: number | null;
}

/** A saved answer. */
export interface StoredAnswer extends AnswerHead {
  readonly fingerprint: Uint8Array;
  readonly record: unknown;
  readonly secretRecord: Uint8Array | null;
}

/** The name of a request. */
export type KeyName = Pick<IdempotencyKey, 'accountId' | 'key'>;

/** limit: how long an answer is kept. */
const IS_KEPT = `created > now() - interval '1 day'`;
/**
 * limit: how long a claim is valid while its request runs. A claim also ends with the lease of its coordinator, so that
 * a killed coordinator's key is free within seconds.
 */
const CLAIM_SECONDS = 60;
/**
 * A claim that expires later than this was made before the clock stepped back, and is not valid. `now()` is the start
 * of a transaction: one that waited for another's claim began earlier.
 */
const BELIEVED_SECONDS = 2 * CLAIM_SECONDS;

const ANSWERS = rowsOf(IdempotencyKeyEntity).from<NewAnswer>(
  {
    accountId: ({ key }) => key.accountId,
    key: ({ key }) => key.key,
    status: (row) => row.status,
    location: (row) => row.location,
    warning: (row) => row.warning,
  },
  [
    ['fingerprint', 'text', ({ key }) => key.fingerprint],
    ['record', 'text', (row) => row.record],
    ['secret_record', 'text', (row) => row.secretRecord],
    ['record_id', 'id', (row) => row.recordId],
  ],
);

/**
 * An insert of answers. `records` is a statement that takes ids as its first parameter and returns `id` and `record`.
 * The records never leave the server, because one may be as large as the largest body. The rows are sorted, so that two
 * groups of answers wait for each other instead of deadlocking. A key that is a day old may be used again.
 */
export function insertOf(name: string, records: string): Statement {
  return {
    name,
    isKeyed: true,
    text: /* sql */ `
      with r as (${records}
      )
      insert into idempotency_key as known
        (account_id, key, fingerprint, status, location, warning, record, secret_record)
      select d.account_id, d.key, decode(d.fingerprint, 'base64'), d.status, d.location, d.warning,
        coalesce(d.record::json, r.record), decode(d.secret_record, 'base64')
      from ${ANSWERS.table('d', 2)} left join r on r.id = d.record_id
      order by d.account_id, d.key
      on conflict (account_id, key) do update set   -- = idempotency_key_key
        fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location,
        warning = excluded.warning, record = excluded.record, secret_record = excluded.secret_record,
        created = excluded.created
      where not known.${IS_KEPT}
      returning account_id as "accountId", key`,
  };
}

const NO_RECORDS = 'select id, null::json as record from unnest($1::bigint[]) as id';
export const INSERT_ANSWERS = insertOf('insert_idempotency_keys', NO_RECORDS);

/**
 * Saves answers. Resolves with the positions of those whose key is used: nothing of them was saved, and the transaction
 * must not keep what they created. If two have one key, the first is saved.
 */
export async function insertAnswers(
  sql: Sql,
  answers: readonly NewAnswer[],
  statement = INSERT_ANSWERS,
): Promise<readonly number[]> {
  const byName = new Map<string, number>();
  for (const [place, { key }] of answers.entries()) {
    const name = nameOf(key);
    if (!byName.has(name)) byName.set(name, place);
  }
  const first = [...byName.values()].map((place) => answers[place] as NewAnswer);
  const ids = idArray(first.flatMap(({ recordId }) => recordId ?? []));
  const saved = await sql.execute<KeyName>(statement, [ids, ...ANSWERS.params(first)]);
  const free = new Set(saved.map((row) => byName.get(nameOf(row))));
  return [...answers.keys()].filter((place) => !free.has(place));
}

function nameOf({ accountId, key }: KeyName): string {
  return `${accountId} ${key}`;
}

/** Saves the answer of a request, last in its transaction. Throws IDEMPOTENCY_KEY_IN_USE if its key is used. */
export async function insertAnswer(sql: Sql, answer: NewAnswer): Promise<void> {
  const taken = await insertAnswers(sql, [answer]);
  if (taken.length > 0) throw keyInUse();
}

export function keyInUse(): AppError {
  const text = 'a request with this Idempotency-Key is being worked on; try again later';
  return new AppError('IDEMPOTENCY_KEY_IN_USE', text, { retryAfterS: 1 });
}

const STORED = `fingerprint, status, location, warning, record, secret_record as "secretRecord"`;

const CLAIM = {
  name: 'claim_idempotency_key',
  isKeyed: true,
  text: /* sql */ `
    with kept as (
      select ${STORED} from idempotency_key where account_id = $1 and key = $2   -- = idempotency_key_key
        and ${IS_KEPT}
    ), claimed as (
      insert into idempotency_claim as held (account_id, key, coordinator_id, expires)
      select $1, $2, $3, now() + interval '${CLAIM_SECONDS} seconds' where not exists (select from kept)
      on conflict (account_id, key) do update set
        coordinator_id = excluded.coordinator_id, expires = excluded.expires
      where held.expires not between now() and now() + interval '${BELIEVED_SECONDS} seconds'
        or not exists (select from coordinator c where c.id = held.coordinator_id and c.expires > now())
      returning held.key
    )
    select (select count(*) from claimed) = 1 as "isClaimed", kept.*
    from (select 1) as one left join kept on true`,
};

/**
 * The answer under a key; undefined: there is none, and the key is now claimed for a request of this coordinator.
 * Throws IDEMPOTENCY_KEY_IN_USE while another request has claimed it.
 */
export async function claimKey(
  sql: Sql,
  { accountId, key }: KeyName,
  coordinatorId: string,
): Promise<StoredAnswer | undefined> {
  const [row] = await sql.execute<Claimed>(CLAIM, [accountId, key, coordinatorId]);
  if (row?.isClaimed === true) return undefined;
  if (row === undefined || row.status === null) throw keyInUse();
  return row as StoredAnswer;
}

type Claimed = { readonly isClaimed: boolean } & (StoredAnswer | { readonly status: null });

const RELEASE = {
  name: 'release_idempotency_key',
  isKeyed: true,
  text: /* sql */ `
    with released as (
      delete from idempotency_claim where account_id = $1 and key = $2 and coordinator_id = $3
    )
    select ${STORED} from idempotency_key where account_id = $1 and key = $2   -- = idempotency_key_key
      and ${IS_KEPT}`,
};

/** Ends a claim. Resolves with the answer that is saved under the key, by whichever request. */
export async function releaseKey(
  sql: Sql,
  { accountId, key }: KeyName,
  coordinatorId: string,
): Promise<StoredAnswer | undefined> {
  const [row] = await sql.execute<StoredAnswer>(RELEASE, [accountId, key, coordinatorId]);
  return row;
}

/** Keys for the requests of one coordinator. */
export interface KeyStore {
  /** As `claimKey`. */
  claim(name: KeyName): Promise<StoredAnswer | undefined>;
  /** As `releaseKey`. */
  release(name: KeyName): Promise<StoredAnswer | undefined>;
}

export function keyStore(sql: Sql, coordinatorId: string): KeyStore {
  return {
    claim: (name) => claimKey(sql, name, coordinatorId),
    release: (name) => releaseKey(sql, name, coordinatorId),
  };
}

/** limit: rows that one call removes. */
const REMOVED_MAX = 1_000;

const REMOVE_KEYS = /* sql */ `
  delete from idempotency_key where id in (select id from idempotency_key where not ${IS_KEPT}
    order by created limit ${REMOVED_MAX})   -- = idempotency_key_created_idx
  returning id`;
/**
 * Removes claims of coordinators that ended before they released them. Live claims are few: as many as requests in
 * progress.
 */
const REMOVE_CLAIMS = /* sql */ `
  delete from idempotency_claim where (account_id, key) in
    (select account_id, key from idempotency_claim where expires <= now() limit ${REMOVED_MAX})`;

/** Removes some of the answers that are older than a day. True: there may be more. */
export async function removeOldKeys(sql: Sql): Promise<boolean> {
  await sql.execute(REMOVE_CLAIMS);
  const removed = await sql.execute(REMOVE_KEYS);
  return removed.length === REMOVED_MAX;
}
