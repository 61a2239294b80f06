/**
 * Limits of what a small request may cause: the most that is documented is taken, one more is refused, under both
 * prefixes, and the service goes on meanwhile.
 */
import pg from 'pg';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { until } from '../harness/until.ts';
import { callerOf, logIn } from '../harness/work/access-calls.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { insertFiles } from './many-files.ts';
import { Sender } from './sender.ts';

const PREFIXES = ['', '/api'];
const MIB = 1_048_576;

t.test('diagnostics: a million are accepted, and other work runs while they are created', async (t) => {
  const world = await createWorld(t);
  const databaseUrl = await migratedDatabase(t);
  const start = () =>
    world.start('coordinator', 'coordinator', { DATABASE_URL: databaseUrl, MILLRACE_GRPC: '127.0.0.1:0' });
  let program = await start();
  let sender = new Sender(program.url);
  t.teardown(() => sender.close());
  const database = new pg.Client(databaseUrl);
  await database.connect();
  t.teardown(() => database.end());
  /** The runs of a kind: requested recipes, those that are counted, and those that exist. */
  const runs = async (kind: string) => {
    const { rows } = await database.query(
      `select d.total::int, d.made_count::int as counted,
         (select count(*)::int from recipe r where r.event_id = d.event_id) as existing
       from diagnostic_run d
         join recipe_type_rev v on v.id = d.recipe_type_rev_id
         join recipe_type y on y.id = v.recipe_type_id
       where y.name = $1 order by d.id`,
      [`millrace-${kind}`],
    );
    return rows as { total: number; counted: number; existing: number }[];
  };
  const post = (target: string, num: number) => sender.send({ method: 'POST', target, body: { num } });
  for (const prefix of PREFIXES) {
    t.match(await post(`${prefix}/v6/diagnostics/job/hello/`, 1_000_000), { status: 202, text: '' });
    t.match(await post(`${prefix}/v6/diagnostics/job/hello/`, 1_000_001), {
      status: 400,
      json: { errors: [{ path: 'num' }] },
    });
  }
  const created = async (count: number) => {
    const found = await runs('hello');
    return found.length === 2 && found.every(({ counted }) => counted >= count);
  };
  await until('recipes of both requests are created', () => created(1_000));
  await program.end();
  const left = await runs('hello');
  for (const { total, counted, existing } of left) {
    t.equal(total, 1_000_000);
    t.equal(existing, counted, 'what is counted exists');
  }
  sender.close();
  program = await start();
  sender = new Sender(program.url);
  const most = Math.max(...left.map(({ counted }) => counted));
  await until('both go on after the coordinator was killed', () => created(most + 400));
  t.equal((await post('/v6/diagnostics/job/count/', 1)).status, 202);
  await until('one of another kind does not wait behind a million', async () => {
    const [one] = await runs('count');
    return one?.existing === 1;
  });
  t.match(await runs('hello'), [{ total: 1_000_000 }, { total: 1_000_000 }]);
  t.ok(
    (await runs('hello')).every(({ counted }) => counted < 1_000_000),
    'they are still being created',
  );
});

t.test('datasets: members of a template have 10 MiB in all', async (t) => {
  const FILES = 10;
  const world = await createWorld(t);
  const databaseUrl = await migratedDatabase(t);
  const program = await world.start('coordinator', 'coordinator', {
    DATABASE_URL: databaseUrl,
    MILLRACE_GRPC: '127.0.0.1:0',
  });
  await clientOf(program).post('/v6/workspaces/', {
    title: 'Files',
    configuration: { broker: { type: 'host', host_path: world.at.arrivals } },
  });
  const database = new pg.Client(databaseUrl);
  await database.connect();
  await insertFiles(database, FILES);
  await database.end();
  const sender = new Sender(program.url);
  t.teardown(() => sender.close());
  const definition = {
    parameters: { files: [{ name: 'IN' }], json: [{ name: 'NOTE', type: 'string' }] },
  };
  /** A body whose template has so many bytes as JSON. */
  const bodyOf = (bytes: number) => {
    const template = (NOTE: string) => ({ files: { IN: 'FILE_VALUE' }, json: { NOTE } });
    const rest = bytes - JSON.stringify(template('')).length;
    return { definition, data_template: template('x'.repeat(rest)), file_type: 'SOURCE' };
  };
  for (const prefix of PREFIXES) {
    const post = (target: string, body: object) =>
      sender.send({ method: 'POST', target: `${prefix}/v6/datasets/${target}`, body });
    const made = await post('', bodyOf(MIB));
    t.equal(made.status, 201, made.text.slice(0, 200));
    t.equal(made.json.members.length, FILES);
    const more = await post('', bodyOf(MIB + 1));
    t.match(more, { status: 400, json: { errors: [{ name: 'TOO_MANY_MEMBERS', path: 'data_template' }] } });
    const target = `${made.json.id}/`;
    const { definition: _, ...members } = bodyOf(MIB);
    const added = await post(target, members);
    t.equal(added.status, 201, added.text.slice(0, 200));
    const { definition: __, ...tooLarge } = bodyOf(MIB + 1);
    t.match(await post(target, tooLarge), {
      status: 400,
      json: { errors: [{ name: 'TOO_MANY_MEMBERS', path: 'data_template' }] },
    });
    t.match(await post('validation/', bodyOf(MIB)), { status: 200, json: { is_valid: true } });
    t.match(await post('validation/', bodyOf(MIB + 1)), { status: 200, json: { is_valid: false } });
  }
});

t.test('tokens: an account has 200 at most, even with concurrent requests', async (t) => {
  const password = 'for the most of tokens';
  const world = await createWorld(t);
  const program = await world.start('coordinator', 'coordinator', {
    MILLRACE_GRPC: '127.0.0.1:0',
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: password,
  });
  const call = callerOf(Number(new URL(program.url).port));
  const session = await logIn(call, password);
  const create = () => call('POST', '/v6/tokens/', { name: 'one of many' }, session);
  for (let count = 0; count < 196; count += 1) t.equal((await create()).status, 201);
  const last = await Promise.all(Array.from({ length: 12 }, create));
  const statuses = last.map(({ status }) => status).sort();
  t.strictSame(statuses, [...Array(4).fill(201), ...Array(8).fill(409)], 'four of twelve at once');
  t.match(await create(), { status: 409, json: { code: 'CONFLICT', detail: /200 tokens/ } });
  const { id } = last.find(({ status }) => status === 201)?.json ?? {};
  t.equal((await call('DELETE', `/v6/tokens/${id}/`, undefined, session)).status, 204);
  t.equal((await create()).status, 201, 'after one was revoked there is room for one');
  t.equal((await create()).status, 409);
});

t.test('accounts: the longest password is accepted; a new session ends the oldest of 50', async (t) => {
  const password = 'p'.repeat(1_000);
  const world = await createWorld(t);
  const program = await world.start('coordinator', 'coordinator', {
    MILLRACE_GRPC: '127.0.0.1:0',
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: password,
  });
  const call = callerOf(Number(new URL(program.url).port));
  const isIn = async (session: Readonly<Record<string, string>>) =>
    (await call('GET', '/v6/accounts/profile/', undefined, { ...session })).status;
  const sessions = [];
  for (let count = 0; count < 50; count += 1) sessions.push(await logIn(call, password));
  const [first = {}, second = {}] = sessions;
  t.strictSame([await isIn(first), await isIn(second)], [200, 200], '50 are in');
  const latest = await logIn(call, password);
  // A coordinator may take a session for a valid one for a moment longer.
  await until('the oldest is out', async () => (await isIn(first)) === 401);
  t.strictSame([await isIn(second), await isIn(latest)], [200, 200]);
  const account = { username: 'long', password: `${password}x` };
  t.match(await call('POST', '/v6/accounts/', account, latest), {
    status: 400,
    json: { errors: [{ path: 'password' }] },
  });
});
