/**
 * The filter before every route: identifies the caller, checks permissions, and writes the audit trail. The dispatcher
 * calls in this order: `originOf`, `admit` (from the head alone, before any body is read), `check` (before much of a
 * body is taken), `identify`, `begin`.
 */
import type { Access, Caller } from '../domain/access.ts';
import type { RequestHead } from './exchange.ts';
import type { Method } from './route.ts';

/** The part of a route that the auth filter uses. */
export interface FilteredRoute {
  readonly method: Method;
  /** The documented path, with the names of its parameters. */
  readonly path: string;
  readonly access: Access;
}

/** The origin of a request: the connection's peer, or the address that a trusted proxy reports. */
export interface Origin {
  readonly address: string;
  /** Also `https` when a trusted proxy was called over TLS. */
  readonly scheme: 'http' | 'https';
}

/** Records how a write ended. */
export type Finish = (outcome: { readonly status: number; readonly recordId: number | null }) => void;

export interface AuthFilter {
  originOf(head: RequestHead): Origin;
  /** Throws AppError UNAUTHENTICATED or TOO_MANY_REQUESTS. */
  admit(head: RequestHead, route: FilteredRoute, origin: Origin, nowMs: number): void;
  /**
   * Throws or rejects as `identify` would, except for rates: nothing is counted. `identify` is called again when the
   * body is complete, since a token may be revoked meanwhile. Returns a promise only where rows have to be read.
   */
  check(head: RequestHead, route: FilteredRoute, origin: Origin, nowMs: number): void | Promise<void>;
  /**
   * Throws or rejects with AppError UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS or STORE_UNAVAILABLE. Returns a
   * promise only where rows have to be read.
   */
  identify(head: RequestHead, route: FilteredRoute, origin: Origin, nowMs: number): Caller | Promise<Caller>;
  /** Records the call before it is executed. If it throws AppError STORE_UNAVAILABLE, the call must not be executed. */
  begin(
    head: RequestHead,
    route: FilteredRoute,
    origin: Origin,
    caller: Caller,
    nowMs: number,
  ): Promise<Finish>;
}
