/** Which requests are served away from the event loop, and that nobody can tell from the answer. */
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { ANYBODY } from '../../../src/domain/access.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { fromLargeAnswer, LargeRequestServer, toLargeRequest } from '../../../src/http/body/large-bodies.ts';
import { texts } from '../../../src/http/request/parameters.ts';
import { pathId } from '../../../src/http/request/path-parameters.ts';
import { defineRoute, defineValidation, reply } from '../../../src/http/route.ts';
import { id, NO_BODY } from '../../../src/http/schema.ts';
import type { LargeBodies } from '../../../src/http/serve.ts';
import { makeCaller, NO_KEYS, OPEN_FILTER } from '../../support/http.ts';

const MIB = 1_048_576;
const KIB = 1_024;
const Body = Type.Object({ items: Type.Array(Type.Integer()), padding: Type.Optional(Type.String()) });

interface Deps {
  readonly calls: string[];
}

const add = defineRoute({
  method: 'POST',
  path: '/v6/sets/{id}/',
  summary: 'Add',
  params: { id: pathId },
  query: { tag: texts('Tags.') },
  hasLargeBody: true,
  body: Body,
  replies: {
    201: Type.Object({ id: id(), sum: Type.Integer(), said: Type.Array(Type.String()) }),
    204: NO_BODY,
  },
  handle({ params, query, body, request }, { calls }: Deps) {
    calls.push('add');
    if (body.items.length === 0) return reply(204);
    if (body.items[0] === 0) throw new AppError('STATE_CONFLICT', 'the first is zero');
    if (body.items[0] === -1) throw new Error('a secret reason');
    const said = [...query.tag, request.caller.username, request.address, request.path, request.base];
    const sum = body.items.reduce((one, other) => one + other, 0);
    return reply(201, { id: params.id, sum, said }, { location: `/v6/sets/${params.id}/` });
  },
});
const check = defineValidation({
  path: '/v6/sets/validation/',
  summary: 'Check',
  hasLargeBody: true,
  body: Body,
  handle: () => ({ errors: [], warnings: [] }),
});
/** One that takes no large bodies. */
const note = defineRoute({
  method: 'POST',
  path: '/v6/notes/',
  summary: 'Note',
  body: Type.Object({ text: Type.String() }),
  replies: { 204: NO_BODY },
  handle(_input, { calls }: Deps) {
    calls.push('note');
    return reply(204);
  },
});
const routes = [add, check, note];

/** Serves as a thread would: everything that crosses is cloned. */
class Elsewhere implements LargeBodies {
  readonly bytes: number[] = [];
  readonly calls: string[] = [];
  readonly errors: string[] = [];

  async serve(...[call, caller, body]: Parameters<LargeBodies['serve']>) {
    this.bytes.push(body.byteLength);
    const error = (event: string) => void this.errors.push(event);
    const log = { debug: () => undefined, error };
    const options = { deps: { calls: this.calls }, log, idempotency: NO_KEYS };
    const server = new LargeRequestServer(routes, options);
    const answer = await server.serve(structuredClone(toLargeRequest(call, caller, body)));
    return fromLargeAnswer(structuredClone(answer));
  }
}

const padded = (body: object, bytes: number) => {
  const text = JSON.stringify(body);
  return `${text.slice(0, -1).padEnd(bytes - 1)}}`;
};

t.test('large bodies: they are served by the thread, with the same answer', async (t) => {
  const elsewhere = new Elsewhere();
  const calls: string[] = [];
  const divided = makeCaller(routes, { calls }, { largeBodies: elsewhere });
  const whole = makeCaller(routes, { calls: [] });
  const bodies: readonly (readonly [string, object, number])[] = [
    ['/v6/sets/7/?tag=a&tag=b', { items: [1, 2, 3] }, 201],
    ['/v6/sets/7', { items: [1], unknown: 1 }, 400],
    ['/v6/sets/7/', { items: [] }, 204],
    ['/v6/sets/7/', { items: [0] }, 409],
    ['/v6/sets/7/', { items: [-1] }, 500],
    ['/v6/sets/7/', { items: ['x'] }, 400],
    ['/v6/sets/x/', { items: [1] }, 404],
    ['/v6/sets/7/?nonsense=1&page=x', { items: [1] }, 400],
    ['/v6/sets/validation/', { items: ['x'], other: 1 }, 200],
    ['/v6/sets/validation/', [], 400],
  ];
  for (const [target, body, status] of bodies) {
    const text = padded(body, 2 * MIB);
    const expected = await whole.call('POST', target, text);
    const before = elsewhere.bytes.length;
    const answer = await divided.call('POST', target, text);
    t.equal(answer.status, status, `${target}: ${answer.text}`);
    t.strictSame(
      { ...answer, headers: [...answer.headers] },
      { ...expected, headers: [...expected.headers] },
      `${target} ${JSON.stringify(body)}`,
    );
    t.equal(elsewhere.bytes.length, before + 1, 'it was served elsewhere');
  }
  t.same(elsewhere.errors, ['http_request_failed'], 'what is a bug is logged there');
  t.same(calls, [], 'and no handler was called here');
});

t.test('large bodies: bodies up to the limit, to the byte, are served on the event loop', async (t) => {
  const elsewhere = new Elsewhere();
  const calls: string[] = [];
  const { call } = makeCaller(routes, { calls }, { largeBodies: elsewhere });
  t.equal((await call('POST', '/v6/sets/7/', padded({ items: [1] }, 128 * KIB))).status, 201);
  t.same([calls, elsewhere.bytes], [['add'], []]);
  t.equal((await call('POST', '/v6/sets/7/', padded({ items: [1] }, 128 * KIB + 1))).status, 201);
  t.same([calls, elsewhere.bytes], [['add'], [128 * KIB + 1]]);
  t.equal((await call('POST', '/v6/notes/', padded({ text: 'x' }, MIB))).status, 204);
  t.same([calls, elsewhere.bytes], [['add', 'note'], [128 * KIB + 1]], 'their routes take large ones');
});

t.test('large bodies: no call is served before its audit record is written', async (t) => {
  const elsewhere = new Elsewhere();
  const seen: string[] = [];
  let refusal: Error | undefined;
  const authFilter = {
    ...OPEN_FILTER,
    identify: async () => ANYBODY,
    async begin() {
      await new Promise(setImmediate);
      seen.push(`${elsewhere.bytes.length} served`);
      if (refusal !== undefined) throw refusal;
      return () => undefined;
    },
  };
  const { call } = makeCaller(routes, { calls: [] }, { largeBodies: elsewhere, authFilter });
  t.equal((await call('POST', '/v6/sets/7/', padded({ items: [1] }, 2 * MIB))).status, 201);
  refusal = new AppError('STORE_UNAVAILABLE', 'it cannot be written down');
  t.equal((await call('POST', '/v6/sets/7/', padded({ items: [1] }, 2 * MIB))).status, 503);
  t.same(seen, ['0 served', '1 served']);
  t.equal(elsewhere.bytes.length, 1);
});
