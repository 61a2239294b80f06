/**
 * Each call that takes an `Idempotency-Key`, under both prefixes, asked of two coordinators of one installation: one
 * record however often it is asked for.
 */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import {
  CREATING_CALLS,
  type CreatingCall,
  type Fixtures,
  makeFixtures,
  WITHOUT_TWIN,
} from '../../support/worlds/creations.ts';
import { callerOf, logIn, PASSWORD } from '../harness/work/access-calls.ts';
import { type KeyedAnswer, newKey, openSession, type Session, send } from '../harness/work/keyed-calls.ts';
import { createWorld } from '../harness/world.ts';

interface Pair {
  readonly urls: readonly [string, string];
  /** Headers of two accounts. */
  readonly accounts: readonly [Headers, Headers];
  readonly session: Session;
  readonly fixtures: Fixtures;
}

type Headers = Readonly<Record<string, string>>;

async function startCoordinators(t: Test): Promise<Pair> {
  const world = await createWorld(t);
  const databaseUrl = await migratedDatabase(t);
  const ports = [await freePort(), await freePort()] as const;
  const env = {
    ...{ DATABASE_URL: databaseUrl, NATS_URL: await serviceUrl('nats'), MILLRACE_AUTH: 'on' },
    ...{ MILLRACE_SECRET_KEY_FILE: join(world.folder, 'secret.key'), MILLRACE_GRPC: '127.0.0.1:0' },
  };
  const start = (index: 0 | 1) =>
    world.start('coordinator', `coordinator-${index}`, {
      ...env,
      MILLRACE_HTTP: `127.0.0.1:${ports[index]}`,
    });
  const first = await start(0);
  await start(1);
  const call = callerOf(ports[0]);
  const admin = await logIn(call, PASSWORD.exec(first.output)?.[1] ?? '');
  const { json: other } = await call('POST', '/v6/accounts/', { username: 'other', is_staff: true }, admin);
  const tokenOf = async (body: object): Promise<Headers> => {
    const { json } = await call('POST', '/v6/tokens/', { name: 'test', scope: 'admin', ...body }, admin);
    return { authorization: `Bearer ${json.token}` };
  };
  const accounts = [await tokenOf({}), await tokenOf({ account_id: other.id })] as const;
  const session = await openSession(t, databaseUrl);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const fixtures = await makeFixtures({
    rows: session.rows,
    async post(path, body) {
      const answer = await send(urls[0], path, body, accounts[0]);
      if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
      return answer.json;
    },
  });
  return { urls, accounts, session, fixtures };
}

/** What two answers to one request have in common. */
const answerOf = ({ status, location, text }: KeyedAnswer) => ({ status, location, text });

t.test('idempotency: each call creates once for each key, at any coordinator', needs('nats'), async (t) => {
  const pair = await startCoordinators(t);
  let n = 0;
  for (const prefix of ['', '/api']) {
    for (const call of CREATING_CALLS) {
      if (prefix === '/api' && WITHOUT_TWIN.has(call.call)) continue;
      n += 1;
      await t.test(`${prefix} ${call.call}`, (t) => createsOnce(t, pair, prefix, call, n * 100));
    }
  }
});

async function createsOnce(t: Test, pair: Pair, prefix: string, call: CreatingCall, n: number) {
  const { urls, accounts, session, fixtures } = pair;
  const { status, table, hasLocation } = call;
  const ask = (
    creation: { readonly path: string },
    body: object,
    key: string,
    [coordinator, account]: readonly [0 | 1, 0 | 1] = [0, 0],
  ) => {
    const headers = { ...accounts[account], 'idempotency-key': key };
    return send(urls[coordinator], `${prefix}${creation.path}`, body, headers);
  };
  const grown = async (work: () => Promise<void>): Promise<number> => {
    const before = await session.count(table);
    await work();
    return (await session.count(table)) - before;
  };

  const one = await call.make(fixtures, n);
  const key = newKey();
  const before = await session.count(table);
  const first = await ask(one, one.body, key);
  const byFirst = (await session.count(table)) - before;
  t.equal(first.status, status, first.text);
  t.ok(byFirst > 0, `rows of ${table}`);
  t.equal(first.location !== null, hasLocation, `Location: ${first.location}`);
  const byRepeats = await grown(async () => {
    for (const coordinator of [0, 1] as const) {
      const again = await ask(one, one.body, key, [coordinator, 0]);
      t.same(answerOf(again), answerOf(first), `a repeat at coordinator ${coordinator}`);
    }
    const other = await ask(one, one.other, key, [1, 0]);
    t.match(other, { status: 422, json: { code: 'IDEMPOTENCY_KEY_REUSED' } }, other.text);
  });
  t.equal(byRepeats, 0, 'repeats create nothing');

  const two = await call.make(fixtures, n + 1);
  const refusedKey = newKey();
  const byRefused = await grown(async () => {
    const refused = await ask(two, two.refused, refusedKey);
    t.equal(refused.status, 400, refused.text);
  });
  t.equal(byRefused, 0);
  const byRight = await grown(async () => {
    const right = await ask(two, two.body, refusedKey, [1, 0]);
    t.equal(right.status, status, `what was refused left nothing under the key: ${right.text}`);
  });
  t.equal(byRight, byFirst);

  const three = await call.make(fixtures, n + 2);
  const racedKey = newKey();
  const byRace = await grown(async () => {
    const places = [0, 1, 0, 1, 0, 1] as const;
    const raced = await Promise.all(places.map((at) => ask(three, three.body, racedKey, [at, 0])));
    const settled = await ask(three, three.body, racedKey);
    t.equal(settled.status, status, settled.text);
    for (const answer of raced) {
      if (answer.status === 409) {
        t.match(answer, { json: { code: 'IDEMPOTENCY_KEY_IN_USE' }, retryAfter: '1' }, answer.text);
      } else t.same(answerOf(answer), answerOf(settled));
    }
  });
  t.equal(byRace, byFirst, 'six at once create one');

  const four = await call.make(fixtures, n + 3);
  const byOther = await grown(async () => {
    const answer = await ask(four, four.body, key, [0, 1]);
    t.equal(answer.status, status, `another account has keys of its own: ${answer.text}`);
    t.same(answerOf(await ask(four, four.body, key, [1, 1])), answerOf(answer));
  });
  t.equal(byOther, byFirst);

  const five = await call.make(fixtures, n + 4);
  await session.rows(`update idempotency_key set created = created - interval '1 day' where key = $1`, [key]);
  const byForgotten = await grown(async () => {
    const answer = await ask(five, five.body, key);
    t.equal(answer.status, status, `a day later the key is free: ${answer.text}`);
    t.same(answerOf(await ask(five, five.body, key)), answerOf(answer));
  });
  t.equal(byForgotten, byFirst);
}
