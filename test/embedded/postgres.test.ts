/** The embedded server and kills: real processes and PostgreSQL, with fsync as in production. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import t, { type Test } from 'tap';
import { keepEmbedded } from '../../src/embedded/keep.ts';
import { type EmbeddedOptions, startEmbedded } from '../../src/embedded/postgres.ts';
import { processesIn } from '../../src/embedded/postmaster.ts';
import { identifyProcess } from '../../src/lib/process-identity.ts';
import { waitUntil } from '../../src/lib/wait-until.ts';
import { createLogger } from '../../src/observe/log.ts';

const PROGRAM = join(import.meta.dirname, 'embedded-program.ts');
const isRoot = process.getuid?.() === 0;

/**
 * A data folder that any user can enter. Its servers are ended and it is removed with the test.
 */
function makeOptions(t: Test, mode = 0o711): EmbeddedOptions & { fallbackRoot: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-pg-')));
  chmodSync(base, mode);
  const fallbackRoot = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-pg-fallback-')));
  chmodSync(fallbackRoot, 0o755);
  const options = { dataDir: join(base, 'data'), fallbackRoot, log: createLogger({ level: 'silent' }) };
  t.teardown(async () => {
    const homes = [
      join(options.dataDir, 'postgres'),
      ...readdirSync(fallbackRoot).map((name) => join(fallbackRoot, name)),
    ];
    for (const home of homes) for (const pid of processesIn(join(home, 'data'))) process.kill(pid, 'SIGKILL');
    await waitUntil(() => homes.every((home) => processesIn(join(home, 'data')).length === 0), {
      timeoutMs: 20_000,
    });
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    rmSync(fallbackRoot, { recursive: true, force: true, maxRetries: 5 });
  });
  return options;
}

async function query(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // servers are killed under it
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a server in another process, which the test may kill. */
async function startElsewhere(t: Test, options: EmbeddedOptions) {
  const parent = spawn(process.execPath, [PROGRAM, options.dataDir, options.fallbackRoot ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
  });
  t.teardown(() => parent.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const { url, pid } = JSON.parse(String(line)) as { url: string; pid: number };
  const kill = async () => {
    const gone = once(parent, 'exit');
    parent.kill('SIGKILL');
    await gone;
  };
  return { url, pid, parentPid: parent.pid, kill };
}

t.test('embedded: a server that survived the kill of its parent is adopted with its data', async (t) => {
  const options = makeOptions(t);
  const first = await startElsewhere(t, options);
  await query(first.url, 'create table kept as select 7 as n');
  await first.kill();

  const second = await startEmbedded(options);

  t.ok(second.isAdopted);
  t.equal(second.pid, first.pid);
  t.equal(second.url, first.url);
  t.same(await query(second.url, 'select n from kept'), [{ n: 7 }]);
  await second.stop();
  t.equal(identifyProcess(first.pid), undefined, 'an adopted server can be stopped');
});

t.test('embedded: committed data survive the kill of the server and its parent', async (t) => {
  const options = makeOptions(t);
  const first = await startElsewhere(t, options);
  await query(first.url, 'create table kept as select 7 as n');
  process.kill(first.pid, 'SIGKILL');
  await first.kill();

  const second = await startEmbedded(options);
  t.teardown(() => second.stop());

  t.notOk(second.isAdopted);
  t.not(second.pid, first.pid);
  t.same(await query(second.url, 'select n from kept'), [{ n: 7 }]);
  t.same(await query(second.url, 'show fsync'), [{ fsync: 'on' }]);
  t.same(await query(second.url, 'show synchronous_commit'), [{ synchronous_commit: 'on' }]);
  t.same(await query(second.url, 'show listen_addresses'), [{ listen_addresses: '' }]);
});

t.test('embedded: a pid file with the id of another process does not prevent the start', async (t) => {
  const options = makeOptions(t);
  const first = await startEmbedded(options);
  await first.stop();
  const file = join(options.dataDir, 'postgres/data/postmaster.pid');
  writeFileSync(
    file,
    `${process.pid}\n${join(options.dataDir, 'postgres/data')}\n1\n5432\n/nowhere\n\n\nready\n`,
  );

  const second = await startEmbedded(options);
  t.teardown(() => second.stop());

  t.same(await query(second.url, 'select 1 as n'), [{ n: 1 }]);
});

t.test('embedded: a creation that was killed half-way starts over', async (t) => {
  const options = makeOptions(t);
  const first = await startEmbedded(options);
  await first.stop();
  const home = join(options.dataDir, 'postgres');
  // The state midway: the cluster still has its temporary name.

  renameSync(join(home, 'data'), join(home, '.init-1'));
  rmSync(join(home, '.init-1/global'), { recursive: true });

  const second = await startEmbedded(options);
  t.teardown(() => second.stop());

  t.same(await query(second.url, 'select 1 as n'), [{ n: 1 }]);
  t.notOk(existsSync(join(home, '.init-1')));
});

t.test('embedded: a killed server is restarted at the same address', async (t) => {
  const kept = await keepEmbedded(makeOptions(t));
  t.teardown(() => kept.stop());
  await query(kept.url, 'create table kept as select 7 as n');
  const pid = kept.current.pid;

  process.kill(pid, 'SIGKILL');
  t.ok(await waitUntil(() => kept.restartCount === 1, { timeoutMs: 60_000 }));

  t.not(kept.current.pid, pid);
  t.equal(kept.restartCount, 1);
  t.same(await query(kept.url, 'select n from kept'), [{ n: 7 }]);

  await kept.stop();
  t.equal(identifyProcess(kept.current.pid), undefined);
  t.equal(kept.restartCount, 1, 'a server that was told to stop is not restarted');
});

t.test(
  'embedded: a second start in the same folder is refused with the id of the first process',
  async (t) => {
    const options = makeOptions(t);
    const first = await startElsewhere(t, options);

    await t.rejects(startEmbedded(options), {
      code: 'DATA_DIR_IN_USE',
      message: new RegExp(`process ${first.parentPid} `),
      detail: { pid: first.parentPid },
    });
    t.same(await query(first.url, 'select 1 as n'), [{ n: 1 }], 'the first server is left alone');
  },
);

t.test(
  'embedded: data of another major version are refused, and the message says how to transfer them',
  async (t) => {
    const options = makeOptions(t);
    const first = await startEmbedded(options);
    await first.stop();
    writeFileSync(join(options.dataDir, 'postgres/data/PG_VERSION'), '17\n');

    await t.rejects(startEmbedded(options), {
      code: 'DATA_DIR_VERSION',
      message: /PostgreSQL 17.*millrace backup.*millrace restore/,
    });
    t.notOk(existsSync(join(options.dataDir, 'postgres.lock')), 'a failed start releases the folder');
  },
);

t.test('embedded: a failed start shows the output of the server', async (t) => {
  const options = makeOptions(t);
  const first = await startEmbedded(options);
  await first.stop();
  writeFileSync(join(options.dataDir, 'postgres/data/postgresql.auto.conf'), 'no_such_setting = 1\n');

  await t.rejects(startEmbedded(options), {
    code: 'DATABASE_START_FAILED',
    detail: { output: /no_such_setting/ },
  });
});

t.test('embedded: only the user of the server can read its folders', async (t) => {
  const options = makeOptions(t);
  const server = await startEmbedded(options);
  t.teardown(() => server.stop());
  for (const path of ['postgres', 'postgres/data', 'postgres/run', 'postgres/log']) {
    t.equal(statSync(join(options.dataDir, path)).mode & 0o077, 0, path);
  }
});

t.test(
  'embedded: for root with a private data folder the database is placed where its user can reach it',
  { skip: isRoot ? false : 'only root changes users' },
  async (t) => {
    const options = makeOptions(t, 0o700);
    const first = await startElsewhere(t, options);
    await query(first.url, 'create table kept as select 7 as n');

    const pointer = readFileSync(join(options.dataDir, 'postgres.location'), 'utf8').trim();
    t.ok(pointer.startsWith(options.fallbackRoot));
    await first.kill();
    const second = await startEmbedded(options);
    t.teardown(() => second.stop());
    t.ok(second.isAdopted, 'the pointer file is followed');
    t.same(await query(second.url, 'select n from kept'), [{ n: 7 }]);
  },
);
