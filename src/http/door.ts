/** Prepares a WebSocket for a route that serves one. */
import type { Caller } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { HandlerRequest } from './handler-request.ts';
import { readQuery } from './request/parameters.ts';
import type { Call, ServeOptions } from './serve.ts';
import type { SocketDoor } from './socket.ts';

const RECORDED = Promise.resolve();

/**
 * Throws AppError INVALID_REQUEST. The URL of a WebSocket takes no query parameters: its client sends messages instead,
 * and authenticates by headers.
 */
export function openDoor<Deps>({ deps }: ServeOptions<Deps>, call: Call<Deps>, caller: Caller): SocketDoor {
  const { socket } = call.served.route;
  if (socket === undefined) {
    throw new AppError(
      'INVALID_REQUEST',
      'no WebSocket is served at this path; send the request without `Upgrade`',
    );
  }
  readQuery({}, call.head.query, call.nowMs);
  return socket(new HandlerRequest(call, caller, RECORDED, undefined), deps);
}
