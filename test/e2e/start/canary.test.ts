import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { OpenApiDocument } from '../../../src/http/openapi.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { testDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { serviceUrl } from '../../support/services/services.ts';
import { silentLog } from '../../support/silent-log.ts';
import { processesOf } from '../harness/folder-processes.ts';
import { environmentOf, filesWith, tablesWith } from '../harness/leaks.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';
import { targetOf } from '../hostile/broken-targets.ts';
import { Sender } from '../hostile/sender.ts';

/** In everything that is secret and comes from outside, and in nothing else. */
const CANARY = 'canary-7c21';
/** No secret: what does not find this would not find the others either. */
const VISIBLE = 'visible-7c21';
/** Each with a name of its own, so that a failure tells which one got out. */
const secret = (name: string): string => `${CANARY}-${name}`;

const BOTH = { MILLRACE_LOG_LEVEL: 'debug', MILLRACE_JOIN_TOKEN: secret('join-token') };
const COORDINATOR = {
  MILLRACE_NOTIFICATION_TOKEN: secret('notification-token'),
  MILLRACE_ADMIN_PASSWORD: secret('admin-password'),
  // Nobody answers there: the first login fails, and is reported.
  MILLRACE_OIDC_ISSUER: 'http://127.0.0.1:1',
  MILLRACE_OIDC_CLIENT_ID: 'millrace',
  MILLRACE_OIDC_CLIENT_SECRET: secret('openid-secret'),
};
const AGENT = {
  AWS_ACCESS_KEY_ID: secret('aws-id'),
  AWS_SECRET_ACCESS_KEY: secret('aws-key'),
  AWS_SESSION_TOKEN: secret('aws-session'),
};
/** Nothing listens there: what fails speaks, and must not say too much. */
const NOWHERE = 'http://127.0.0.1:1';

/** The address with a name and a password in it. */
function withPassword(url: string, name: string): string {
  const changed = new URL(url);
  if (changed.username === '') changed.username = 'somebody';
  changed.password = secret(name);
  return changed.href;
}

async function startBoth(t: Test, world: World) {
  const grpc = `127.0.0.1:${await freePort()}`;
  const databaseUrl = await testDatabase(t);
  const nats = await serviceUrl('nats').catch(() => undefined);
  const coordinator = await world.start('coordinator', 'coordinator', {
    ...{ ...BOTH, ...COORDINATOR, MILLRACE_GRPC: grpc },
    DATABASE_URL: withPassword(databaseUrl, 'database-password'),
    ...(nats === undefined ? {} : { NATS_URL: withPassword(nats, 'nats-password') }),
  });
  const agent = await world.start('agent', 'agent', { ...BOTH, ...AGENT, MILLRACE_COORDINATORS: grpc });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  return { coordinator, agent, databaseUrl };
}

/** Workspaces, strikes and calls that hold or show secrets; most of them fail sooner or later. */
async function plant(sender: Sender): Promise<void> {
  const credentials = { access_key_id: secret('s3-id'), secret_access_key: secret('s3-key') };
  const broker = { type: 'objstore', bucket_name: 'a-bucket', endpoint: NOWHERE, credentials };
  const objstore = { type: 'objstore', queue_name: 'arrivals', credentials };
  const rules = { files_to_ingest: [{ filename_regex: '.*' }], recipe: { name: 'demo-recipe' } };
  const strikes = [objstore, { ...objstore, queue_type: 'sqs', region_name: 'eu-west-1' }];
  const post = (target: string, body: unknown, headers = {}) =>
    sender.send({ method: 'POST', target, body, headers });
  await post('/v6/workspaces/', { title: 'Store', description: VISIBLE, configuration: { broker } });
  for (const monitor of strikes) {
    await post('/v6/strikes/', {
      title: 'Store',
      configuration: { workspace: 'store', monitor, ...rules },
    });
  }
  const shown = [
    { authorization: `Bearer ${secret('shown-bearer')}` },
    { authorization: `Basic ${Buffer.from(`a:${secret('shown-basic')}`).toString('base64')}` },
    { authorization: `Token ${secret('shown-token')}`, cookie: `millrace_session=${secret('shown-cookie')}` },
  ];
  for (const headers of shown) {
    await post('/v6/notifications/s3/arrivals/', { Records: [] }, headers);
    await sender.send({ method: 'GET', target: '/v6/status/', headers });
  }
  await post('/v6/login/', { username: 'admin', password: secret('wrong-password') });
  await post('/v6/workspaces/', { title: 'x', configuration: { broker: { ...broker, credentials: 5 } } });
}

t.test('canaries: secrets that programs are given appear nowhere', async (t) => {
  const world = await createWorld(t);
  const { coordinator, agent, databaseUrl } = await startBoth(t, world);
  const sender = new Sender(coordinator.url);
  t.teardown(() => sender.close());
  const client = clientOf(coordinator);
  const work = await DemoWork.create(world, client, 2);
  await plant(sender);
  await work.deliver(2);
  await work.finished(client);
  const database = await openDatabase({ url: databaseUrl, log: silentLog });
  t.teardown(() => database.close());
  await until('the agent has tried the bucket', async () => {
    const tried = await database.sql.execute(
      "select 1 from node_workspace n join workspace w on w.id = n.workspace_id where w.name = 'store'",
      [],
    );
    return tried.length > 0;
  });

  const document = await client.get<OpenApiDocument>('/v6/openapi.json');
  const leaks: string[] = [];
  let visibleCount = 0;
  let count = 0;
  for (const [path, operations] of Object.entries(document.paths)) {
    if (operations.get === undefined) continue;
    for (const id of ['1', '2', '3']) {
      const fill = { id, exe_num: '1', stream: 'combined', revision_num: '1', version: '1.0.0' };
      const target = targetOf(path, { ...fill, name: 'demo-describe' });
      const { text, headers } = await sender.send({ method: 'GET', target });
      count += 1;
      if (text.includes(VISIBLE)) visibleCount += 1;
      if (`${text}${JSON.stringify(headers)}`.includes(CANARY)) leaks.push(target);
    }
  }
  t.strictSame(leaks, [], `${count} answers`);

  const given = [coordinator.pid, agent.pid];
  for (const { pid, commandLine } of processesOf(world.folder)) {
    t.notMatch(commandLine, CANARY, `the arguments of ${pid}`);
    if (!given.includes(pid)) t.notMatch(environmentOf(pid), CANARY, `the environment of ${commandLine}`);
  }
  const logs = readdirSync(world.folder).filter((name) => /\.log(\.out)?$/.test(name));
  t.ok(logs.length >= 4);
  for (const name of logs) {
    const lines = readFileSync(join(world.folder, name), 'utf8').split('\n');
    t.strictSame(
      lines.filter((line) => line.includes(CANARY)),
      [],
      name,
    );
  }
  t.strictSame(filesWith(world.folder, CANARY), [], 'no file that the programs made has one');
  t.strictSame(await tablesWith(database, CANARY), [], 'nor has the database');
  t.ok(visibleCount >= 2, 'what is no secret is found in answers');
  t.strictSame(await tablesWith(database, VISIBLE), ['workspace'], 'and in the database');
  t.notOk(coordinator.hasExited || agent.hasExited);
});

t.test('canaries: a failed start prints none of its secrets', async (t) => {
  const world = await createWorld(t);
  const refusals: Record<string, string>[] = [
    { DATABASE_URL: `postgresql://somebody:${secret('database-password')}@127.0.0.1:1/nothing` },
    { DATABASE_URL: `mysql://somebody:${secret('database-password')}@127.0.0.1:1/nothing` },
    { DATABASE_URL: `postgresql://somebody:${secret('database-password')}@[/nothing` },
    {
      DATABASE_URL: await testDatabase(t),
      NATS_URL: `nats://somebody:${secret('nats-password')}@127.0.0.1:1`,
    },
  ];
  for (const [index, env] of refusals.entries()) {
    const name = `refused-${index}`;
    const started = world.start('coordinator', name, { ...BOTH, ...COORDINATOR, ...env });
    const gaveUp = until('it says why', () => readFileSync(join(world.folder, `${name}.log`), 'utf8') !== '');
    await Promise.race([started.catch(() => undefined), gaveUp]);
    t.notMatch(readFileSync(join(world.folder, `${name}.log`), 'utf8'), CANARY, Object.keys(env).join());
  }
});
