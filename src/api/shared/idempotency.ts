/**
 * Requests with an `Idempotency-Key`. Saved answers are unique by key, which prevents a repeat from creating anything.
 * A claim on the key, taken before the work and released after it, only spares a concurrent repeat the work, so a claim
 * that ends too early is harmless. The claim of a dead coordinator ends with its lease.
 */
import { AppError } from '../../domain/errors.ts';
import { type AnswerHead, type KeyedAnswer, NO_ACCOUNT } from '../../domain/idempotency.ts';
import type { Problem } from '../../domain/validation.ts';
import type { Idempotency, KeyedRequest } from '../../http/request/idempotency.ts';
import type { Asker, Reply } from '../../http/route.ts';
import { assert } from '../../lib/assert.ts';
import type { AlsoSave } from '../../store/catalog/creating.ts';
import { insertAnswer, type KeyStore, type StoredAnswer } from '../../store/idempotency/keys.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { warningHeader } from './warnings.ts';

/** Encrypts stored data of requests. Returns a promise in threads that have no keys and ask the coordinator. */
export interface KeyCipher {
  /** Base64. */
  encrypt(clear: string): string | Promise<string>;
  decrypt(encrypted: Uint8Array): string | Promise<string>;
}

export interface IdempotencyParts {
  readonly keys: KeyStore;
  readonly cipher: KeyCipher;
}

/** The purpose under which fingerprints and secret records are encrypted. */
export const IDEMPOTENCY_PURPOSE = 'idempotency key';

export function keyCipher(encryption: Encryption): KeyCipher {
  return {
    encrypt: (clear) => encryption.encrypt(clear, IDEMPOTENCY_PURPOSE).toString('base64'),
    decrypt: (encrypted) => encryption.decrypt(encrypted, IDEMPOTENCY_PURPOSE),
  };
}

export function idempotencyOf({ keys, cipher }: IdempotencyParts): Idempotency {
  return {
    async once({ accountId, key, hash }, work) {
      const name = { accountId: accountId ?? NO_ACCOUNT, key };
      const known = await keys.claim(name);
      if (known !== undefined) return replyOf(cipher, known, hash);
      const fingerprint = await cipher.encrypt(hash);
      const [done] = await Promise.allSettled([work({ ...name, fingerprint })]);
      // Read even if the work failed, because it may have failed after its commit, or because another answer was saved
      // first.
      const saved = await keys.release(name).catch(() => undefined);
      if (saved !== undefined) return replyOf(cipher, saved, hash);
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    },
  };
}

/** Throws IDEMPOTENCY_KEY_REUSED if the answer belongs to another request. */
async function replyOf(cipher: KeyCipher, saved: StoredAnswer, hash: KeyedRequest['hash']): Promise<Reply> {
  if ((await cipher.decrypt(saved.fingerprint)) !== hash) {
    const text = 'this Idempotency-Key was used for another request: its method, path or body differ';
    throw new AppError('IDEMPOTENCY_KEY_REUSED', text);
  }
  const { status, location, warning, record, secretRecord } = saved;
  const body = secretRecord === null ? record : JSON.parse(await cipher.decrypt(secretRecord));
  return {
    status,
    body: body ?? undefined,
    headers: { ...(location === null ? {} : { location }), ...(warning === null ? {} : { warning }) },
  };
}

/** An answer of a route, without the record. */
interface Answered {
  readonly status: number;
  readonly location?: string;
  readonly warnings?: readonly Problem[];
}

function headOf({ status, location, warnings = [] }: Answered): AnswerHead {
  return { status, location: location ?? null, warning: warningHeader(warnings).warning ?? null };
}

/**
 * The fields of a message that asks an actor to create something: the answer that its turn saves under the key, if any.
 */
export function answerByKey(
  { idempotencyKey: key }: Pick<Asker, 'idempotencyKey'>,
  answered: Answered,
  record: KeyedAnswer['record'] = null,
): { readonly answer?: KeyedAnswer } {
  return key === undefined ? {} : { answer: { key, ...headOf(answered), record } };
}

/** An answer with the record that a transaction has created. */
interface AnsweredRecord extends Answered {
  readonly record?: unknown;
  /** Given for a record that contains a secret. */
  readonly cipher?: KeyCipher;
}

/** The answer of a create, read in its transaction, so that it does not contain later changes. */
export interface AnswerRead<T, R> {
  readonly also: AlsoSave<T>;
  /** Available once the transaction is committed. */
  readonly record: () => R;
}

/** For a transaction that creates something: reads the answer, and saves it for a request with a key. */
export function readsAnswer<T, R>(
  asker: Pick<Asker, 'idempotencyKey'>,
  answerOf: (tx: Sql, made: T) => Promise<Answered & { readonly record: R | undefined }>,
): AnswerRead<T, R> {
  let read: { readonly record: R } | undefined;
  return {
    async also(tx, made) {
      const answer = await answerOf(tx, made);
      const { record } = answer;
      assert(record !== undefined, 'a transaction finds what it has made');
      read = { record };
      await savesAnswer(asker, async () => answer)?.(tx, made);
    },
    record() {
      assert(read !== undefined, 'nothing was made');
      return read.record;
    },
  };
}

/** For a transaction that creates something: saves the answer of a request with a key. Undefined without a key. */
export function savesAnswer<T>(
  { idempotencyKey: key }: Pick<Asker, 'idempotencyKey'>,
  answerOf: (tx: Sql, made: T) => Promise<AnsweredRecord>,
): AlsoSave<T> | undefined {
  if (key === undefined) return undefined;
  return async (tx, made) => {
    const { record, cipher, ...answered } = await answerOf(tx, made);
    const json = record === undefined ? null : JSON.stringify(record);
    const secretRecord = json === null || cipher === undefined ? null : await cipher.encrypt(json);
    await insertAnswer(tx, {
      ...{ key, ...headOf(answered), record: secretRecord === null ? json : null },
      ...{ secretRecord, recordId: null },
    });
  };
}
