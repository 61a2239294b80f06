/** Every bench runs, at a size at which it says nothing: so that what it measures is still there when it is needed. */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { testDatabase } from './support/db.ts';
import { serviceUrl } from './support/services/services.ts';

const folder = join(import.meta.dirname, '../bench');
const DEADLINE_MS = 90_000;

/** Arguments of a tiny run. */
const TINY: Readonly<Record<string, readonly string[]>> = {
  'actor-messages': ['smoke'],
  arrivals: ['20', '--seconds=1'],
  batch: ['20'],
  commit: ['20'],
  compat: ['smoke'],
  containers: ['2', '--only=docker'],
  filters: ['smoke'],
  'hello-jobs': ['5'],
  lists: ['300', '--calls=1'],
  metrics: ['0.01'],
  'noop-jobs': ['20'],
  recipes: ['5'],
  rules: ['smoke'],
  scan: ['200'],
};

t.setTimeout(280_000);

interface Run {
  readonly code: number | null;
  readonly said: string;
  readonly complained: string;
}

function run(name: string, databaseUrl: string): Promise<Run> {
  const child = spawn(process.execPath, [join(folder, `${name}.bench.ts`), ...(TINY[name] ?? [])], {
    env: { ...process.env, MILLRACE_BENCH_DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  let [said, complained] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes;
  });
  child.stderr.on('data', (bytes: Buffer) => {
    complained += bytes;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said, complained })));
}

const names = globSync('*.bench.ts', { cwd: folder })
  .map((file) => file.slice(0, -'.bench.ts'.length))
  .sort();

t.test('bench: each has a tiny run', async (t) => {
  t.strictSame(names, Object.keys(TINY).sort());
});

for (const name of names) {
  t.test(`bench ${name}: runs and prints figures`, async (t) => {
    await serviceUrl('postgres');
    const { code, said, complained } = await run(name, await testDatabase(t));
    t.equal(code, 0, complained.slice(-2_000));
    t.match(said, /\d/);
  });
}
