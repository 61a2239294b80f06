import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startEmbedded } from '../../../src/embedded/postgres.ts';
import type { OpenApiDocument } from '../../../src/http/openapi.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { silentLog } from '../../support/silent-log.ts';
import { processesOf } from '../harness/folder-processes.ts';
import { ancestorsOf, environmentOf, filesWith, tablesWith } from '../harness/leaks.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { targetOf } from '../hostile/broken-targets.ts';
import { Sender } from '../hostile/sender.ts';

/** In every secret, and in nothing else. */
const CANARY = 'canary-5e9d';
const JOIN_TOKEN = `${CANARY}-join-token`;

const INTERFACE = {
  // It waits until the test has looked around.
  command: `sh -c 'until test -e "$OPEN"; do sleep 0.1; done; test "$PASSWORD" = "$EXPECTED"'`,
  settings: [{ name: 'PASSWORD', secret: true }, { name: 'EXPECTED', secret: true }, { name: 'OPEN' }],
};
const CREDENTIALS = { access_key_id: `${CANARY}-id`, secret_access_key: `${CANARY}-key` };

function jobType(gate: string, settings: Record<string, unknown> = {}): Record<string, unknown> {
  const secrets = { PASSWORD: `${CANARY}-password`, EXPECTED: `${CANARY}-password` };
  return {
    container_image: 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name: 'secretive', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'x', description: 'x' },
        ...{ maintainer: { name: 'A', email: 'a@example.com' }, timeout: 100, interface: INTERFACE },
        resources: { scalar: [{ name: 'cpus', value: 0.1 }] },
      },
    },
    configuration: { settings: { ...secrets, OPEN: gate, ...settings } },
  };
}

t.test('secrets: a secret is in the environment of its task, and nowhere else', async (t) => {
  const world = await createWorld(t);
  const server = await startEmbedded({ dataDir: join(world.folder, 'database'), log: silentLog });
  t.teardown(() => server.stop());
  const database = await openDatabase({ url: server.url, log: silentLog });
  t.teardown(() => database.close());
  const env = { DATABASE_URL: server.url, MILLRACE_LOG_LEVEL: 'debug', MILLRACE_JOIN_TOKEN: JOIN_TOKEN };
  const program = await world.start('up', 'up', env);
  const client = clientOf(program);
  const sender = new Sender(program.url);
  t.teardown(() => sender.close());
  const told: { target: string; text: string }[] = [];
  const call = async (method: string, target: string, body?: unknown) => {
    const answer = await sender.send({ method, target, body });
    told.push({ target: `${method} ${target}`, text: `${answer.text}${JSON.stringify(answer.headers)}` });
    return answer;
  };
  await DemoWork.create(world, client, 1);

  const gate = join(world.seenByTasks, 'gate');
  const store = { broker: { type: 'objstore', bucket_name: 'a-bucket', credentials: CREDENTIALS } };
  const strike = {
    ...{ workspace: 'store', files_to_ingest: [{ filename_regex: '.*' }], recipe: { name: 'demo-recipe' } },
    monitor: { type: 'objstore', queue_name: 'arrivals', credentials: CREDENTIALS },
  };
  t.equal((await call('POST', '/v6/job-types/', jobType(gate))).status, 201);
  t.equal((await call('POST', '/v6/workspaces/', { title: 'Store', configuration: store })).status, 201);
  t.equal((await call('POST', '/v6/strikes/', { title: 'Store', configuration: strike })).status, 201);
  for (const [target, body] of [
    ['/v6/job-types/', { ...jobType(gate), container_image: 5 }],
    ['/v6/job-types/', jobType(gate, { OPEN: 5 })],
    ['/v6/job-types/validation/', jobType(gate)],
    ['/v6/job-types/', `${JSON.stringify(jobType(gate)).slice(0, -3)}`],
    ['/v6/workspaces/', { title: 'x', configuration: { broker: { ...store.broker, bucket_name: 5 } } }],
    ['/v6/workspaces/validation/', { title: 'x', configuration: store }],
    ['/v6/strikes/', { title: 'x', configuration: { ...strike, workspace: 'nowhere' } }],
    ['/v6/strikes/validation/', { title: 'x', configuration: strike }],
  ] as const) {
    const { status } = await call('POST', target, body);
    t.equal(status, target.endsWith('/validation/') ? 200 : 400, target);
  }
  const { json: type } = await call('GET', '/v6/job-types/secretive/1.0.0/');
  const { json: job } = await call('POST', '/v6/jobs/', { job_type_id: type.id, input: {} });
  const status = async () => (await call('GET', `/v6/jobs/${job.id}/`)).json.status;
  await until('the job runs', async () => (await status()) === 'RUNNING');
  const holders = await until('its task has its environment', () => {
    const found = processesOf(world.folder).filter(({ pid }) =>
      environmentOf(pid).includes(`${CANARY}-password`),
    );
    return found.length > 0 && found;
  });
  for (const { pid, commandLine } of processesOf(world.folder)) {
    // The task's shell starts programs of its own meanwhile: they are the task as well.
    if (ancestorsOf(pid).some((one) => holders.some((holder) => holder.pid === one))) continue;
    const inherited = pid === program.pid ? '' : environmentOf(pid);
    t.notMatch(`${commandLine} ${inherited}`, CANARY, `process ${pid}`);
  }
  t.ok(holders.every(({ commandLine }) => !commandLine.includes(CANARY)));
  t.notOk(holders.some(({ pid }) => pid === program.pid || environmentOf(pid).includes(JOIN_TOKEN)));
  t.strictSame(
    filesWith(join(world.folder, 'up'), CANARY),
    [],
    'no file of the agent has them while the task runs',
  );
  writeFileSync(gate, '');
  await until('the job has ended', async () => ['COMPLETED', 'FAILED'].includes(await status()));
  t.equal(await status(), 'COMPLETED', 'the task had its secrets');

  const document = await client.get<OpenApiDocument>('/v6/openapi.json');
  const ids: Record<string, string> = {
    id: `${job.id}`,
    exe_num: '1',
    stream: 'combined',
    revision_num: '1',
  };
  for (const [path, operations] of Object.entries(document.paths)) {
    if (operations.get === undefined) continue;
    for (const id of ['1', '2', '3', `${job.id}`]) {
      await call('GET', targetOf(path, { ...ids, id, name: 'secretive', version: '1.0.0' }));
    }
  }
  const leaks = told.filter(({ text }) => text.includes(CANARY)).map(({ target }) => target);
  t.strictSame(leaks, [], `${told.length} answers`);
  t.notMatch(program.log, CANARY, 'nor the log');
  t.notMatch(program.output, CANARY);
  t.strictSame(filesWith(join(world.folder, 'up'), CANARY), [], 'nor a file of the program');
  t.strictSame(await tablesWith(database, CANARY), [], 'nor the database');
});
