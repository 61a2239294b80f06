/** The request that handlers get. */
import type { Caller } from '../domain/access.ts';
import type { Origin } from './auth-filter.ts';
import type { RequestHead } from './exchange.ts';
import type { RouteRequest } from './route.ts';

interface ServedCall extends Pick<RouteRequest, 'base' | 'path' | 'nowMs'> {
  readonly head: RequestHead;
  readonly origin: Origin;
}

/** A handler's view of a request. It uses the head's signal, which is created on first use. */
export class HandlerRequest implements RouteRequest {
  readonly id: string;
  readonly base: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly nowMs: number;
  readonly caller: RouteRequest['caller'];
  readonly address: string;
  readonly recorded: Promise<void>;
  readonly once: RouteRequest['once'];
  /** Not a #private field, because objects that are derived from this one use it too. */
  private readonly head: RequestHead;

  constructor(
    { head, base, path, nowMs, origin }: ServedCall,
    caller: Caller,
    recorded: Promise<void>,
    once: RouteRequest['once'],
  ) {
    this.id = head.id;
    this.base = base;
    this.path = path;
    this.rawQuery = head.query;
    this.headers = head.headers;
    this.nowMs = nowMs;
    this.caller = caller;
    this.address = origin.address;
    this.recorded = recorded;
    this.once = once;
    this.head = head;
  }

  get signal(): AbortSignal {
    return this.head.signal;
  }
}
