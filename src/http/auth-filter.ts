/**
 * What stands before every route: who asks, whether they may, and the trail of what they do. The dispatcher asks in
 * this order: `originOf`, `admit` (from the head alone, before any body is read), `check` (before much of a body is
 * taken), `identify`, `begin`.
 */
import type { Access, Caller } from '../domain/access.ts';
import type { RequestHead } from './exchange.ts';
import type { Method } from './route.ts';

/** The route of a request, as far as the auth filter cares. */
export interface FilteredRoute {
  readonly method: Method;
  /** As it is documented, with its parameters' names. */
  readonly path: string;
  readonly access: Access;
}

/** Where a request comes from: of the connection, or what a trusted proxy says. */
export interface Origin {
  readonly address: string;
  /** `https` also when a trusted proxy speaks TLS. */
  readonly scheme: 'http' | 'https';
}

/** Tells how a write ended. */
export type Finish = (outcome: { readonly status: number; readonly recordId: number | null }) => void;

export interface AuthFilter {
  originOf(head: RequestHead): Origin;
  /** Throws AppError UNAUTHENTICATED or TOO_MANY_REQUESTS. */
  admit(head: RequestHead, route: FilteredRoute, origin: Origin, nowMs: number): void;
  /**
   * Throws or rejects as `identify` would, but for rates: nothing is counted. `identify` is asked again when the body
   * is there, for a token may have been revoked while it came. A promise only where rows have to be read.
   */
  check(head: RequestHead, route: FilteredRoute, origin: Origin, nowMs: number): void | Promise<void>;
  /**
   * Throws or rejects with AppError UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS or STORE_UNAVAILABLE. A promise only
   * where rows have to be read.
   */
  identify(head: RequestHead, route: FilteredRoute, origin: Origin, nowMs: number): Caller | Promise<Caller>;
  /** Writes down what is about to be done. Throws AppError STORE_UNAVAILABLE: then it must not be done. */
  begin(
    head: RequestHead,
    route: FilteredRoute,
    origin: Origin,
    caller: Caller,
    nowMs: number,
  ): Promise<Finish>;
}
