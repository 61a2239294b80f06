/** Messages between a coordinator and the thread that serves large bodies. */
import { AppError, ERROR_CODES } from '../../domain/errors.ts';
import type { LargeAnswer, LargeRequest } from '../../http/body/large-bodies.ts';
import { type AnyAddress, type AnyMessage, type AskOptions, KernelError } from '../../kernel/mod.ts';

/** The data with which the thread starts. */
export interface ThreadData {
  readonly databaseUrl: string;
  /** Id of the coordinator. */
  readonly self: string;
}

/** `id`: the number of a request or call. An answer has the number of its request or call. */
export type ToThread =
  | { readonly type: 'serve'; readonly id: number; readonly request: LargeRequest }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  /** Update the next page of recipe types that follow a new revision. */
  | { readonly type: 'advanceTypeUpdates'; readonly id: number; readonly nowMs: number }
  | { readonly type: 'close' };

export type FromThread =
  | { readonly type: 'served'; readonly id: number; readonly answer: LargeAnswer }
  /** The value of the answer: whether no page is left. */
  | { readonly type: 'typeUpdatesAdvanced'; readonly id: number; readonly answer: Answer<boolean> }
  | { readonly type: 'call'; readonly id: number; readonly call: CoordinatorCall }
  | { readonly type: 'error'; readonly event: string; readonly fields: Readonly<Record<string, unknown>> };

/** Calls of the thread to the coordinator, which owns actors, ids and keys. */
export type CoordinatorCall =
  | {
      readonly method: 'ask';
      readonly to: AnyAddress;
      readonly message: AnyMessage;
      readonly options: AskOptions;
    }
  | { readonly method: 'reserve'; readonly kind: string; readonly count: number }
  /** Encrypts the stored data of requests with an `Idempotency-Key`. */
  | { readonly method: 'encrypt'; readonly clear: string }
  | { readonly method: 'decrypt'; readonly encrypted: Uint8Array };

/** The type of the answer to each call. */
export interface CallAnswers {
  readonly ask: unknown;
  readonly reserve: readonly number[];
  readonly encrypt: string;
  readonly decrypt: string;
}

export type CallOf<Method extends keyof CallAnswers> = CoordinatorCall & { readonly method: Method };

export type Answer<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure };

/** An error as plain data: errors lose their fields between threads. */
export interface Failure {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof AppError || error instanceof KernelError) {
    const { name, code, message, detail } = error;
    return { name, code, message, detail };
  }
  return { name: 'Error', code: '', message: String(error), detail: {} };
}

export function errorOf({ name, code, message, detail }: Failure): Error {
  if (name === 'KernelError') return new KernelError({ code, message, detail });
  const known = ERROR_CODES.find((one) => one === code);
  return name === 'AppError' && known !== undefined
    ? new AppError(known, message, { ...detail })
    : new Error(message);
}
