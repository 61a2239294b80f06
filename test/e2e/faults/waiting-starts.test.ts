/** Programs that are started before what they need is there: they wait, say what for, and are ready when it comes. */
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { readPostmasterFile } from '../../../src/embedded/postmaster.ts';
import { testDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { signal } from '../harness/folder-processes.ts';
import { Program } from '../harness/program.ts';
import { Relay } from '../harness/relay.ts';
import { until } from '../harness/until.ts';
import { createWorld, type World } from '../harness/world.ts';

interface Line {
  readonly event: string;
  readonly reason?: string;
  readonly repeated?: number;
  readonly error?: { readonly message: string };
}

function linesOf(program: Program): Line[] {
  const lines = program.log.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** How often a line with the same event and reason was written, but for those that say how often it was. */
function greatestRepeat(program: Program): number {
  const counts = new Map<string, number>();
  for (const { event, reason, error, repeated } of linesOf(program)) {
    const why = reason ?? error?.message;
    if (why === undefined || repeated !== undefined) continue;
    const key = `${event} ${why}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

/** A database behind an address that can be cut. */
async function behindRelay(t: Test) {
  const url = new URL(await testDatabase(t));
  const socket = decodeURIComponent(url.hostname);
  const port = Number(url.port || '5432');
  const target = socket.startsWith('/') ? `${socket}/.s.PGSQL.${port}` : { host: socket, port };
  const relay = await Relay.start('127.0.0.1', target);
  t.teardown(() => relay.stop());
  url.hostname = '127.0.0.1';
  url.port = String(relay.port);
  return { relay, databaseUrl: url.href };
}

async function launch(t: Test, world: World, env: Readonly<Record<string, string>>) {
  const http = `127.0.0.1:${await freePort()}`;
  const grpc = `127.0.0.1:${await freePort()}`;
  const options = world.options('coordinator', 'coordinator', {
    ...env,
    ...{ MILLRACE_HTTP: http, MILLRACE_GRPC: grpc },
  });
  const program = Program.launch(options);
  t.teardown(() => program.end());
  const ready = async () => {
    const answer = await fetch(`http://${http}/v6/ready/`).catch(() => undefined);
    return (
      answer && { status: answer.status, body: (await answer.json()) as { detail?: string; code?: string } }
    );
  };
  const waiting = (reason: RegExp) =>
    until(`it waits: ${reason}`, async () => {
      if (program.hasExited) throw new Error(`it ended: ${program.log}`);
      const answer = await ready();
      return answer?.status === 503 && reason.test(answer.body.detail ?? '') ? answer : undefined;
    });
  return { program, ready, waiting, http, grpc };
}

t.test('starts: a coordinator and an agent wait for a database that is not there yet', async (t) => {
  const world = await createWorld(t);
  const { relay, databaseUrl } = await behindRelay(t);
  relay.cut();
  const { program, ready, waiting, grpc, http } = await launch(t, world, { DATABASE_URL: databaseUrl });
  const answer = await waiting(/waits for the database/);
  t.equal(answer.body.code, 'OWNER_UNAVAILABLE');
  t.equal((await fetch(`http://${http}/v6/jobs/`)).status, 503, 'all else waits as well');
  const agent = Program.launch(world.options('agent', 'agent', { MILLRACE_COORDINATORS: grpc }));
  t.teardown(() => agent.end());
  await until('the agent has tried', () => agent.log.includes('session_ended'));
  const told = () => linesOf(program).filter(({ event }) => event === 'start_waits');
  await until('it says how often', () => told().some(({ repeated = 0 }) => repeated > 0), 60_000);
  t.equal(greatestRepeat(program), 1, 'one line, then how often');
  t.notMatch(program.log, /"stack"/);
  t.equal(program.output + agent.output, '', 'neither is ready');

  relay.heal();
  await program.ready();
  await agent.ready();
  t.equal((await ready())?.status, 200);
  t.ok(linesOf(program).some(({ event }) => event === 'start_continues'));
  t.match(agent.log, /session_opened/);

  // The same once it runs: the database goes away, and comes back.
  relay.cut();
  await until('leases are not renewed', () =>
    linesOf(program).some((line) => line.event === 'leases_not_renewed'),
  );
  await until('it is not ready', async () => (await ready())?.status === 503);
  const repeated = () =>
    linesOf(program).filter((line) => line.event === 'leases_not_renewed' && line.repeated);
  await until('it says how often', () => repeated().length > 0, 60_000);
  t.notMatch(program.log, /"stack"/);
  relay.heal();
  await until('it is ready again', async () => (await ready())?.status === 200, 60_000);
});

t.test('starts: a refused login and a missing database are reported and retried', async (t) => {
  const world = await createWorld(t);
  const url = new URL(await testDatabase(t));
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  const [role, database] = [`role_${process.pid}`, `late_${process.pid}`];
  await admin.query(`create role ${role} superuser nologin`);
  t.teardown(async () => {
    await admin.query(`drop database if exists ${database} with (force)`);
    await admin.query(`drop role ${role}`);
    await admin.end();
  });
  url.username = role;
  url.pathname = `/${database}`;
  const { program, waiting } = await launch(t, world, { DATABASE_URL: url.href });
  await waiting(/refuses the login/);
  t.ok(linesOf(program).some(({ reason }) => reason?.includes(`role "${role}" is not permitted to log in`)));
  await admin.query(`alter role ${role} login`);
  await waiting(/does not exist/);
  await admin.query(`create database ${database}`);
  await program.ready();
  t.equal(greatestRepeat(program), 1);
});

t.test('starts: a waiting start ends in order on a signal', async (t) => {
  const world = await createWorld(t);
  const { relay, databaseUrl } = await behindRelay(t);
  relay.cut();
  const { program, waiting } = await launch(t, world, { DATABASE_URL: databaseUrl });
  await waiting(/waits for the database/);
  t.equal(await program.end('SIGTERM'), 0);
  t.equal(program.output, '');
});

t.test('starts: `up` waits for an embedded database that does not answer yet', async (t) => {
  const world = await createWorld(t);
  const http = `127.0.0.1:${await freePort()}`;
  const first = await world.start('up', 'up', { MILLRACE_HTTP: http });
  const postmaster = readPostmasterFile(join(world.folder, 'up/postgres/data'))?.pid ?? 0;
  await first.end('SIGKILL');
  signal(postmaster, 'SIGSTOP');
  const again = Program.launch(world.options('up', 'up', { MILLRACE_HTTP: http }));
  t.teardown(() => again.end());
  await until('it waits', async () => {
    const answer = await fetch(`http://${http}/v6/ready/`).catch(() => undefined);
    return answer?.status === 503 && /waits for the database/.test(await answer.text());
  });
  t.equal(again.output, '');
  signal(postmaster, 'SIGCONT');
  await again.ready();
  t.equal((await fetch(`http://${http}/v6/ready/`)).status, 200);
  t.equal(
    readPostmasterFile(join(world.folder, 'up/postgres/data'))?.pid,
    postmaster,
    'it is the same server',
  );
});
