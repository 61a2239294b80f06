/** The declaration of every POST says what a repeat does; keys are read and hashed alike for all of them. */
import t from 'tap';
import { serviceRoutes } from '../../../src/api/service.ts';
import { openApi } from '../../../src/http/openapi.ts';
import { readKey, requestHash } from '../../../src/http/request/idempotency.ts';
import { CREATING_CALLS, WITHOUT_TWIN } from '../../support/worlds/creations.ts';

const routes = serviceRoutes('1.0.0');
const posts = routes.filter(({ method }) => method === 'POST');
const callOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`;

t.test('idempotency: each POST takes a key, says why it needs none, or changes nothing', async (t) => {
  t.ok(posts.length > 50, `${posts.length} calls`);
  for (const route of posts) {
    const { repeats, bodyRule } = route;
    if (bodyRule === 'reported') {
      t.equal(repeats, undefined, `${callOf(route)} is a validation`);
      continue;
    }
    t.ok(repeats !== undefined, `${callOf(route)} says what a repeat does`);
    if (repeats === undefined || repeats === 'keyed') continue;
    // tus has its uploads answered so: one that is not continued is nothing yet.
    const isNoRecord = /\/(process|uploads)\/$/.test(route.path);
    t.notOk(201 in route.replies && !isNoRecord, `${callOf(route)} creates nothing`);
    t.match(repeats.reason, /\w+ \w+/, `${callOf(route)} has a reason`);
  }
  const others = routes.filter(({ method, repeats }) => method !== 'POST' && repeats !== undefined);
  t.same(others.map(callOf), [], 'other methods may be repeated as they are');
});

t.test(
  'idempotency: a call that takes a key is documented so, under both prefixes, and tested',
  async (t) => {
    const keyed = posts.filter(({ repeats }) => repeats === 'keyed').map(callOf);
    const own = keyed.filter((call) => call.startsWith('POST /v6/')).sort();
    const twins = keyed
      .filter((call) => call.startsWith('POST /api/'))
      .map((call) => call.replace('/api', ''));
    t.same(
      twins.sort(),
      own.filter((call) => !WITHOUT_TWIN.has(call)),
    );
    t.same(
      CREATING_CALLS.map(({ call }) => call).sort(),
      own,
      'test/e2e/access/idempotency.test.ts calls each of them',
    );
    const { paths } = openApi(routes, '1.0.0');
    const documented = Object.entries(paths).flatMap(([path, { post }]) => {
      const takes = post?.parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key');
      return takes === true ? [`POST ${path}`] : [];
    });
    t.same(documented.sort(), keyed.sort());
  },
);

t.test('idempotency: keys are 1 to 255 printable ASCII characters', async (t) => {
  const read = (key: string) => readKey(new Map([['idempotency-key', key]]));
  t.equal(readKey(new Map()), undefined);
  for (const key of ['a', '"quoted"', 'with space', '~'.repeat(255)]) t.equal(read(key), key);
  for (const key of ['', 'ä', '\u0000', 'a\tb', '\u007f', 'a'.repeat(256)]) {
    t.throws(() => read(key), {
      code: 'INVALID_REQUEST',
      status: 400,
      detail: { errors: [{ name: 'INVALID_HEADER', path: 'Idempotency-Key' }] },
    });
  }
});

t.test('idempotency: the hash covers method, path, query and every byte of the body', async (t) => {
  const one = { method: 'POST', path: '/v6/jobs/', query: '' };
  const body = Buffer.from('{"a":1}');
  const hashes = await Promise.all([
    requestHash(one, body),
    requestHash({ ...one, method: 'PUT' }, body),
    requestHash({ ...one, path: '/api/v6/jobs/' }, body),
    requestHash({ ...one, query: 'a=1' }, body),
    requestHash(one, Buffer.from('{"a":1} ')),
    requestHash(one, new Uint8Array()),
  ]);
  t.equal(new Set(hashes).size, hashes.length);
  t.equal(await requestHash(one, Buffer.from(body)), hashes[0]);
  t.match(hashes[0], /^[0-9a-f]{64}$/);
  const given = Buffer.alloc(1_000_000, 'x');
  const hashed = requestHash(one, given);
  given.fill('y');
  t.equal(
    await hashed,
    await requestHash(one, Buffer.alloc(1_000_000, 'x')),
    'the bytes may be given away at once',
  );
});
