/** Commands that follow a job, while the coordinator is killed and started again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { until } from '../../e2e/harness/until.ts';
import { createJobType, jobIs, queueJob } from '../../e2e/harness/work/job-types.ts';
import { clientOf, createWorld } from '../../e2e/harness/world.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { piped } from './piped.ts';

t.test(
  'lost: a command that follows a job reports the lost service once, and its return once, for silent tasks too',
  async (t) => {
    const world = await createWorld(t);
    const grpc = `127.0.0.1:${await freePort()}`;
    const settings = {
      DATABASE_URL: await migratedDatabase(t),
      MILLRACE_GRPC: grpc,
      MILLRACE_HTTP: `127.0.0.1:${await freePort()}`,
    };
    const first = await world.start('coordinator', 'coordinator', settings);
    await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
    const gate = join(world.seenByTasks, 'go');
    const script = `echo begun; until test -e ${gate}; do sleep 0.1; done; echo over`;
    const typeId = await createJobType(clientOf(first), { name: 'talks', script });
    const id = await queueJob(clientOf(first), typeId);
    const env = { MILLRACE_SERVER: first.url, XDG_CONFIG_HOME: join(world.folder, 'config') };
    const logs = piped(t, ['job', 'logs', '-f', `${id}`], env);
    const run = piped(t, ['run', 'talks', '--logs'], env);
    for (const command of [logs, run]) await command.shows('out', /^begun\n$/);
    const wait = piped(t, ['job', 'wait', `${id}`, `${id + 1}`], env);
    const drain = piped(t, ['node', 'drain', 'id:1', '--wait'], env);
    const following = [logs, run, wait, drain];
    // They show nothing before the end: they follow once both streams of the one and that of the other are open.
    const open = async () => (await fetch(new URL('/metrics', first.url))).text();
    await until('they follow', async () => /^millrace_streams\{kind="sockets"\} 3$/m.test(await open()));
    await first.end('SIGKILL');
    const lost = `[^\n]*${new URL(first.url).host}[^\n]*; the connection is lost, trying again \\.\\.\\.\n`;
    const back = `${first.url}: the connection is back\n`;
    for (const command of following) await command.shows('err', new RegExp(lost));
    await world.start('coordinator', 'coordinator', settings);
    for (const command of following) await command.shows('err', new RegExp(back));
    writeFileSync(gate, '');
    for (const command of following) t.equal(await command.closed, 0, command.written.err);
    for (const { written } of [logs, run]) t.equal(written.out, 'begun\nover\n', 'each byte once');
    t.match(logs.written.err, new RegExp(`^${lost}${back}$`), 'each once, though it follows by two streams');
    const [queued, completed] = ['job \\d+ of talks 1\\.0\\.0 is queued\n', 'job \\d+ is COMPLETED\n'];
    t.match(run.written.err, new RegExp(`^${queued}${lost}${back}${completed}$`));
    t.match(wait.written.err, new RegExp(`^${lost}${back}$`), 'each once, though it waits for two jobs');
    t.match(drain.written.err, new RegExp(`^\\S+ gets no more jobs\n${lost}${back}nothing runs on \\S+\n$`));
  },
);

t.test('lost: a service that hangs is noticed while a followed task is silent', async (t) => {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const settings = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc };
  const coordinator = await world.start('coordinator', 'coordinator', settings);
  await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  const gate = join(world.seenByTasks, 'go');
  const script = `until test -e ${gate}; do sleep 0.1; done; echo over`;
  const typeId = await createJobType(clientOf(coordinator), { name: 'silent', script });
  const id = await queueJob(clientOf(coordinator), typeId);
  await jobIs(clientOf(coordinator), id, ['RUNNING']);
  const client = createNodeClient({ server: coordinator.url, timeoutMs: 3_000 });
  const { execution } = await client.get('/v6/jobs/{id}/', { path: { id } });
  const notes: string[] = [];
  const log = client.log(
    { executionId: execution?.id ?? 0, stream: 'stdout', isFollowed: true },
    {
      retryForMs: Number.POSITIVE_INFINITY,
      onLost: () => notes.push('lost'),
      onBack: () => notes.push('back'),
    },
  );
  const read = textOf(log);
  const open = async () => (await fetch(new URL('/metrics', coordinator.url))).text();
  await until('it follows', async () => /^millrace_streams\{kind="logs"\} 1$/m.test(await open()));
  coordinator.signal('SIGSTOP');
  await until('it is lost', async () => notes[0] === 'lost');
  coordinator.signal('SIGCONT');
  await until('it is back', async () => notes[1] === 'back');
  writeFileSync(gate, '');
  t.equal(await read, 'over\n');
});

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text;
}
