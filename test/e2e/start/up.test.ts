import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '../../support/services/free-port.ts';
import { processesOf } from '../harness/folder-processes.ts';
import { Program } from '../harness/program.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

const ECHO_MS = 300;

/** Programs, not the tasks that continue alone. */
function programsOf(world: World): string[] {
  return processesOf(world.folder)
    .map((found) => found.commandLine)
    .filter((line) => /millrace\.js|postgres/.test(line));
}

t.test('up: Ctrl-C drains, no process stays behind, and the next start continues', async (t) => {
  const world = await createWorld(t);
  let up = await world.start('up', 'up');
  const work = await DemoWork.create(world, clientOf(up), 30);
  await work.deliver(30);
  await until('work is under way', async () => (await work.progress(clientOf(up))) > 3);
  const { url } = up;
  t.equal(await up.end('SIGINT'), 0, 'it ends in order');
  t.strictSame(programsOf(world), [], 'neither it nor its database runs');
  await t.rejects(fetch(url), 'nobody serves any more');

  up = await world.start('up', 'up');
  await work.finished(clientOf(up));
  await checkQuiet(t, { world, client: clientOf(up), work });
  t.equal(await up.end('SIGTERM'), 0, 'SIGTERM ends it as well');
});

t.test('up: a second start on the same folder or port says so, and the first continues', async (t) => {
  const world = await createWorld(t);
  const port = `127.0.0.1:${await freePort()}`;
  const first = await world.start('up', 'up', { MILLRACE_HTTP: port });
  const sameFolder = Program.launch({
    ...world.options('up', 'up'),
    logFile: join(world.folder, 'same-folder.log'),
  });
  t.equal(await sameFolder.exited, 1);
  t.match(sameFolder.log, new RegExp(`^millrace: .*in use by process ${first.pid}\\b`, 'm'));

  const samePort = Program.launch(world.options('up', 'other', { MILLRACE_HTTP: port }));
  t.equal(await samePort.exited, 1);
  t.match(samePort.log, new RegExp(`^millrace: .*${port}`, 'm'));
  t.notMatch(samePort.output, /ready/);
  t.strictSame(
    processesOf(join(world.folder, 'other')).map((found) => found.commandLine),
    [],
    'what it had started is ended again',
  );
  t.equal((await fetch(new URL('/v6/version/', first.url))).status, 200, 'the first one serves');
});

t.test('up: a second Ctrl-C forces the end', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up');
  const halfRequest = await beginRequest(up.url);
  up.signal('SIGINT');
  await until('it drains', () => up.log.includes('"draining"'));
  t.notOk(up.hasExited, 'a request that is being received holds it up');
  // Sooner it would be taken for the echo of the first; a third would not wait for the database.
  await sleep(ECHO_MS);
  up.signal('SIGINT');
  await up.exited;
  t.match(up.log, /"stopping_at_once"/);
  t.strictSame(programsOf(world), [], 'neither it nor its database runs');
  halfRequest.destroy();
});

/** A request whose body does not come. */
function beginRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const head = ['POST /v6/workspaces/ HTTP/1.1', `Host: ${hostname}:${port}`];
  const fields = ['Content-Type: application/json', 'Content-Length: 100', '', '{'];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write([...head, ...fields].join('\r\n'), () => resolve(socket));
    });
    socket.on('error', reject);
  });
}
