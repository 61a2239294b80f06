/** Answers under keys, as src/store/idempotency/answers.ts and src/store/idempotency/keys.ts save and read them. */
import type { KeyedAnswer, RecordRef } from '../../../src/domain/idempotency.ts';
import {
  type KeyName,
  type KeyStore,
  keyInUse,
  type StoredAnswer,
} from '../../../src/store/idempotency/keys.ts';
import type { Group } from '../../../src/store/sql/group.ts';
import type { AnswerRow, Tables } from './tables.ts';

const CLAIM_MS = 60_000;
/** No claim that holds for longer is believed. */
const BELIEVED_MS = 2 * CLAIM_MS;
/** In the order in which the real store saves them. */
const KINDS: readonly (RecordRef['type'] | 'none')[] = ['job', 'recipe', 'batch', 'none'];

function idOf({ accountId, key }: KeyName): string {
  return `${accountId} ${key}`;
}

/** Last of its transaction. A key that is taken refuses its turn. */
export function writeAnswers(tables: Tables, group: Group, isTaken: KeyTaken): void {
  const placed = group
    .placed('keepAnswers')
    .flatMap(({ turn, change }) => change.answers.map((answer) => ({ turn, answer })));
  for (const kind of KINDS) {
    for (const { turn, answer } of placed) {
      if (kindOf(answer.record) !== kind) continue;
      const id = idOf(answer.key);
      if (isTaken(tables.answers.get(id))) group.refuse(turn, `keepAnswers: ${id} is taken`);
      else tables.answers.put({ ...answer, id, made: recordOf(tables, answer.record) });
    }
  }
  group.throwIfRefused();
}

export type KeyTaken = (known: AnswerRow | undefined) => boolean;
export const keyTaken: KeyTaken = (known) => known !== undefined;

function kindOf(record: KeyedAnswer['record']): RecordRef['type'] | 'none' {
  return record === null || record.type === 'body' ? 'none' : record.type;
}

function recordOf({ jobs, recipes, batches }: Tables, record: KeyedAnswer['record']): AnswerRow['made'] {
  if (record === null || record.type === 'body') return null;
  const rows = { job: jobs, recipe: recipes, batch: batches }[record.type];
  return rows.get(record.id) === undefined ? null : { id: record.id };
}

export interface KeyWorld {
  readonly store: { transact<T>(work: (tables: Tables) => T): T };
  readonly nowMs: () => number;
  /** Whether a coordinator's lease on its seat holds. */
  readonly hasSeat: (coordinator: string) => boolean;
  /** Has the database run a statement. */
  readonly run: <T>(statement: () => T) => Promise<T>;
}

export function memoryKeys({ store, nowMs, hasSeat, run }: KeyWorld, self: string): KeyStore {
  const claim = (tables: Tables, name: KeyName): StoredAnswer | undefined => {
    const id = idOf(name);
    const known = tables.answers.get(id);
    if (known !== undefined) return storedOf(known);
    const held = tables.claims.get(id);
    const leftMs = (held?.expiresMs ?? 0) - nowMs();
    if (held !== undefined && leftMs >= 0 && leftMs <= BELIEVED_MS && hasSeat(held.coordinatorId))
      throw keyInUse();
    tables.claims.put({ id, coordinatorId: self, expiresMs: nowMs() + CLAIM_MS });
    return undefined;
  };
  const release = (tables: Tables, name: KeyName): StoredAnswer | undefined => {
    const id = idOf(name);
    if (tables.claims.get(id)?.coordinatorId === self) tables.claims.delete(id);
    const known = tables.answers.get(id);
    return known === undefined ? undefined : storedOf(known);
  };
  return {
    claim: (name) => run(() => store.transact((tables) => claim(tables, name))),
    release: (name) => run(() => store.transact((tables) => release(tables, name))),
  };
}

function storedOf({ key, status, location, warning, made }: AnswerRow): StoredAnswer {
  const fingerprint = Buffer.from(key.fingerprint, 'base64');
  return { fingerprint, status, location, warning, record: made, secretRecord: null };
}
