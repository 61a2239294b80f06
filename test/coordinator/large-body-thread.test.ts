/** The thread for large bodies: its messages to the coordinator, and what happens when it ends. */

import type { Test } from 'tap';
import t from 'tap';
import type { ApiParts } from '../../src/api/parts.ts';
import { serviceRoutes } from '../../src/api/service.ts';
import { keyCipher } from '../../src/api/shared/idempotency.ts';
import {
  type LargeBodyParts,
  LargeBodyThread,
} from '../../src/coordinator/large-bodies/large-body-thread.ts';
import { AppError } from '../../src/domain/errors.ts';
import { type AnyAddress, KernelError } from '../../src/kernel/mod.ts';
import type { LogFields } from '../../src/lib/logger.ts';
import { makeSource } from '../store/make.ts';
import { LOG, storeWorld } from '../store/store-world.ts';
import { makeCaller } from '../support/http.ts';
import { encryptionOf } from '../support/worlds/encryption.ts';

const BYTES = 2 * 1_048_576;
const store = await storeWorld(t);
const padded = (body: object) => `${JSON.stringify(body).slice(0, -1).padEnd(BYTES)}}`;

function begin(t: Test, over: Partial<LargeBodyParts> = {}) {
  const asked: { to: AnyAddress; message: object }[] = [];
  const logged: string[] = [];
  const thread = new LargeBodyThread({
    databaseUrl: store.url,
    self: 'c-test',
    cipher: keyCipher(encryptionOf(Buffer.alloc(32, 1))),
    ids: {
      reserve: async (kind, count) =>
        Array.from({ length: count }, (_, at) => (kind === 'job' ? 70 : 90) + at),
    },
    system: {
      async forward(to, message) {
        asked.push({ to, message });
        throw new KernelError({ code: 'UNAVAILABLE', message: 'nobody owns it' });
      },
    },
    log: Object.assign(Object.create(LOG), { error: (event: string, _: LogFields) => logged.push(event) }),
    ...over,
  });
  t.teardown(() => thread.close());
  // Only the thread has the parts that handlers need.
  const deps = undefined as unknown as ApiParts;
  const { call } = makeCaller(serviceRoutes('0.0.0'), deps, { largeBodies: thread });
  const post = (target: string, body: object, headers: Record<string, string> = {}) =>
    call('POST', target, padded(body), headers);
  return { thread, post, asked, logged };
}

const definition = { parameters: { files: [], json: [{ name: 'N', type: 'integer' }] } };

t.test('large body thread: it reads and writes the database under both prefixes', async (t) => {
  const { post } = begin(t);
  for (const prefix of ['', '/api']) {
    const made = await post(`${prefix}/v6/datasets/`, { definition, data: [{ json: { N: 1 } }] });
    t.equal(made.status, 201, made.text);
    t.match(await store.rows('select data from dataset_member where dataset_id = $1', [made.json.id]), [
      { data: { json: { N: 1 } } },
    ]);
    const refused = await post(`${prefix}/v6/datasets/`, { definition, data: [{ json: { N: 'x' } }] });
    t.match(refused, { status: 400, json: { errors: [{ path: 'data[0].json.N' }] } });
  }
});

t.test('large body thread: a request with an idempotency key is carried out once', async (t) => {
  const { post } = begin(t);
  const headers = { 'idempotency-key': 'large' };
  const body = { definition, data: [{ json: { N: 1 } }] };
  const [made, again] = [
    await post('/v6/datasets/', body, headers),
    await post('/v6/datasets/', body, headers),
  ];
  t.equal(made.status, 201, made.text);
  t.same(
    [again.status, again.headers.get('location'), again.text],
    [201, `http://localhost:8080/v6/datasets/${made.json.id}/`, made.text],
  );
  const other = await post('/v6/datasets/', { ...body, title: 'other' }, headers);
  t.match(other, { status: 422, json: { code: 'IDEMPOTENCY_KEY_REUSED' } });
});

t.test(
  'large body thread: it gets ids and answers of actors from the coordinator, and passes refusals on',
  async (t) => {
    const { post, asked } = begin(t);
    const file = await makeSource(store);
    await store.apply({ type: 'createSourceFiles', files: [file] });
    const body = { recipe_type_id: store.ids.recipeType, input: { files: {}, json: {} } };
    const refused = await post('/v6/recipes/', body);
    t.match(refused, { status: 503, json: { code: 'OWNER_UNAVAILABLE', detail: 'nobody owns it' } });
    t.match(asked, [{ to: { kind: 'recipe', key: '90' }, message: { type: 'start', recipe: { id: 90 } } }]);
  },
);

t.test(
  'large body thread: requests that it served when it ran out of memory are refused, and it is replaced',
  async (t) => {
    const { thread, post, logged } = begin(t, { heapMax: 8 });
    const many = {
      definition,
      data: Array.from({ length: 9_000 }, (_, at) => ({ json: { N: at, M: [at, [at]] } })),
    };
    const body = { ...many, more: Array.from({ length: 200_000 }, () => ({})) };
    const lost = await Promise.all([
      post('/v6/datasets/', body),
      post('/v6/datasets/', body),
      post('/v6/datasets/', body),
    ]);
    for (const one of lost) t.match(one, { status: 503, json: { code: 'DEADLINE_EXCEEDED' } });
    const failures = logged.filter((event) => event === 'large_body_thread_failed');
    t.ok(failures.length >= 2, `${failures.length} threads: one serves two requests at once`);
    await thread.close();
    t.match(await post('/v6/datasets/', { definition }), { status: 503, json: { code: 'SHUTTING_DOWN' } });
  },
);

t.test('large body thread: it ends when it is idle, and starts again', async (t) => {
  const { post } = begin(t, { idleMs: 1 });
  const connections = async () => {
    const [row] = await store.rows<{ count: string }>(
      `select count(*) from pg_stat_activity
       where application_name = 'millrace bodies' and datname = current_database()`,
    );
    return Number(row?.count);
  };
  for (let time = 0; time < 2; time += 1) {
    t.equal((await post('/v6/datasets/', { definition, data: [{ json: { N: 1 } }] })).status, 201);
    while ((await connections()) > 0) await new Promise(setImmediate);
  }
});

t.test('large body thread: errors of actors keep their codes', async (t) => {
  const system = {
    forward: async () => {
      throw new AppError('STATE_CONFLICT', 'no', { errors: [{ name: 'A', description: 'b', path: 'c' }] });
    },
  };
  const { post } = begin(t, { system });
  const body = { recipe_type_id: store.ids.recipeType, input: { files: {}, json: {} } };
  t.match(await post('/v6/recipes/', body), {
    status: 409,
    json: { code: 'STATE_CONFLICT', errors: [{ name: 'A' }] },
  });
});

t.test('large body thread: it updates recipe types, and refuses when it is closed', async (t) => {
  const { thread } = begin(t);
  t.equal(await thread.advanceTypeUpdates(0), true, 'nothing is left');
  const broken = begin(t, { databaseUrl: 'postgres://127.0.0.1:1/none' });
  await t.rejects(broken.thread.advanceTypeUpdates(0), 'the database cannot be reached');
  const cut = broken.thread.advanceTypeUpdates(0);
  await Promise.all([t.rejects(cut), broken.thread.close()]);
  await t.rejects(broken.thread.advanceTypeUpdates(0), { code: 'SHUTTING_DOWN' });
});
