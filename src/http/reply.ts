/** Turns a handler's reply into a response: JSON, a text of another type, a stream, or nothing. */
import type { TSchema } from '@sinclair/typebox';
import { assert } from '../lib/assert.ts';
import type { HttpResponse, ResponseBody } from './exchange.ts';
import { standardHeaders } from './problem.ts';
import type { Reply, RouteRequest } from './route.ts';
import { bodyKind, type StreamBody } from './schema.ts';

export function toResponse(
  reply: Reply,
  schema: TSchema,
  request: Pick<RouteRequest, 'id' | 'base'>,
): HttpResponse {
  const { kind, mediaType } = bodyKind(schema);
  const headers = standardHeaders(request.id);
  if (kind !== 'none') headers.set('content-type', mediaType);
  for (const name in reply.headers) {
    const value = reply.headers[name] ?? '';
    // A line break in a header's value would allow its author to add headers.
    assert(!/[\r\n\0]/.test(value), `header ${name} has a line break`);
    const isOwnPath = name === 'location' && value.startsWith('/');
    headers.set(name, isOwnPath ? `${request.base}${value}` : value);
  }
  const response = { status: reply.status, headers, body: toBody(kind, reply.body) };
  return reply.cookies === undefined ? response : { ...response, cookies: reply.cookies };
}

function toBody(kind: ReturnType<typeof bodyKind>['kind'], body: unknown): ResponseBody {
  switch (kind) {
    case 'none':
      return { kind: 'none' };
    case 'text':
      assert(typeof body === 'string', 'a text reply must be a string');
      return { kind: 'text', text: body.toWellFormed() };
    case 'stream':
      return { kind: 'stream', ...(body as StreamBody) };
    case 'json':
      return { kind: 'text', text: JSON.stringify(body) };
  }
}
