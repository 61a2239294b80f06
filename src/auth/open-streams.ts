/**
 * Streams: answers that stay open. They are counted by kind and limited by account or address, apart from requests.
 * Each ends soon after its token, session or account does, and when the coordinator stops.
 */
import type { Caller } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { holderOf, isLoopbackAddress } from '../lib/addresses.ts';
import type { Logger } from '../lib/logger.ts';
import { liveCredentials } from '../store/account/access-tokens.ts';
import type { Sql } from '../store/sql/sql.ts';
import { SESSION_IDLE_MS } from './credentials.ts';

/** How often the readers' tokens and sessions are checked again; one statement checks all. */
const CHECK_EVERY_MS = 1_000;

const STREAM_KINDS = ['events', 'sockets', 'logs'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/** Why a stream ends before its reader leaves. */
export type StreamEnd = 'lapsed' | 'stopping';

export interface StreamLimits {
  /** Streams of one account or address at once. */
  readonly perCaller: number;
  readonly all: number;
}

export interface OpenStreamsParts {
  readonly sql: Sql;
  readonly limits: StreamLimits;
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** A counted stream; it counts until it is closed. */
export interface OpenStream {
  readonly ending: AbortSignal & { readonly reason: StreamEnd };
  close(): void;
}

interface Held {
  readonly kind: StreamKind;
  readonly caller: Caller;
  readonly ender: AbortController;
}

export class OpenStreams {
  readonly #parts: OpenStreamsParts;
  readonly #held = new Set<Held>();
  readonly #counts = new Map<string, number>();
  #checking: NodeJS.Timeout | undefined;
  #isChecking = false;
  #isStopping = false;

  constructor(parts: OpenStreamsParts) {
    this.#parts = parts;
  }

  /** Throws AppError SHUTTING_DOWN, OVERLOADED, TOO_MANY_REQUESTS. */
  open(kind: StreamKind, caller: Caller, address: string): OpenStream {
    const { limits } = this.#parts;
    if (this.#isStopping) throw new AppError('SHUTTING_DOWN', 'this coordinator is stopping; try again');
    if (this.#held.size >= limits.all) {
      throw new AppError(
        'OVERLOADED',
        `${limits.all} streams are open here, as many as allowed (MILLRACE_STREAMS)`,
      );
    }
    const key = keyOf(caller, address);
    const count = this.#counts.get(key ?? '') ?? 0;
    if (key !== undefined && count >= limits.perCaller) {
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `this account or address has ${limits.perCaller} streams open, as many as allowed ` +
          '(MILLRACE_STREAMS_PER_ACCOUNT): close some',
      );
    }
    const held = { kind, caller, ender: new AbortController() };
    this.#held.add(held);
    if (key !== undefined) this.#counts.set(key, count + 1);
    this.#checking ??= setInterval(() => void this.#check(), CHECK_EVERY_MS);
    return { ending: held.ender.signal, close: () => this.#close(held, key) };
  }

  /** Open streams by kind. */
  counts(): Readonly<Record<StreamKind, number>> {
    const counts = { events: 0, sockets: 0, logs: 0 };
    for (const { kind } of this.#held) counts[kind] += 1;
    return counts;
  }

  /** Ends all streams, and refuses further ones. */
  stop(): void {
    this.#isStopping = true;
    for (const { ender } of [...this.#held]) end(ender, 'stopping');
    clearInterval(this.#checking);
  }

  #close(held: Held, key: string | undefined): void {
    if (!this.#held.delete(held)) return;
    if (key !== undefined) {
      const count = (this.#counts.get(key) ?? 1) - 1;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
    if (this.#held.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  async #check(): Promise<void> {
    const { sql, nowMs, log } = this.#parts;
    const known = [...this.#held].filter(({ caller }) => caller.credentialId !== null);
    const idsOf = (by: Caller['by']) => [
      ...new Set(known.flatMap(({ caller }) => (caller.by === by ? (caller.credentialId ?? []) : []))),
    ];
    if (known.length === 0 || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const now = nowMs();
      const held = { tokens: idsOf('token'), sessions: idsOf('session') };
      const live = await liveCredentials(sql, held, now, now - SESSION_IDLE_MS);
      for (const { caller, ender } of known) {
        if (!live.has(`${caller.by} ${caller.credentialId}`)) end(ender, 'lapsed');
      }
    } catch (error) {
      // The streams are kept: while the database cannot be read, they have no data to send either.
      log.warn('streams_unchecked', { error });
    } finally {
      this.#isChecking = false;
    }
  }
}

function end(ender: AbortController, reason: StreamEnd): void {
  ender.abort(reason);
}

/** Undefined: not limited, for callers on this machine without authentication. */
function keyOf({ accountId, by }: Caller, address: string): string | undefined {
  if (accountId !== null) return `account ${accountId}`;
  return by === 'none' && isLoopbackAddress(address) ? undefined : `address ${holderOf(address)}`;
}
