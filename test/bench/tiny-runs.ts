/**
 * Every bench runs, at a size at which it says nothing: so that what it measures is still there when it is needed. The
 * peers of Debian that have to be started are not part of it. In six files, so that none of them takes long.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Test } from 'tap';
import { needsBrowser } from '../support/browser.ts';
import type { ServiceName } from '../support/services/service.ts';
import { needs, serviceUrl } from '../support/services/services.ts';

const folder = join(import.meta.dirname, '../../bench');
const DEADLINE_MS = 150_000;

/** Those that start the whole system and queue jobs. */
export const OF_JOBS = [
  'batch',
  'bodies',
  'catalogue',
  'hello-jobs',
  'http-floor',
  'latency',
  'memory',
  'noop-jobs',
  'recipes',
];
/** Those that start several whole systems, with many agents or coordinators. */
export const OF_CLUSTERS = ['agents', 'coordinators'];
/** Those that start the whole system for files, containers, or the stream of changes. */
export const OF_FILES = ['arrivals', 'change-readers', 'changes', 'containers', 'scan'];
/** Those that fill tables and read them. */
export const OF_READS = ['list-http', 'lists', 'metrics', 'starts'];
/** Those that measure pages in a browser. */
export const OF_PAGES = ['console'];
const FILES = new Map(
  globSync('{,cluster/,parts/}*.bench.ts', { cwd: folder }).map((file) => [
    basename(file, '.bench.ts'),
    file,
  ]),
);
export const ALL = [...FILES.keys()].sort();

/** Services that a bench stands on besides PostgreSQL. */
const SERVICES: Readonly<Record<string, readonly ServiceName[]>> = {
  'bus-messages': ['nats'],
  changes: ['nats'],
  containers: ['docker'],
  coordinators: ['nats'],
};

/** What `--only=` says: a run of each. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  changes: ['cost,delay', 'whole'],
  containers: ['docker'],
};

interface Run {
  readonly code: number | null;
  readonly complained: string;
}

interface Wanted {
  readonly name: string;
  readonly only: string | undefined;
  readonly results: string;
}

function run({ name, only, results }: Wanted): Promise<Run> {
  const options = ['--tiny', ...(only === undefined ? [] : [`--only=${only}`]), `--results=${results}`];
  // With the loader of the run, if this file has it.
  const program = [...process.execArgv, join(folder, FILES.get(name) ?? name)];
  const child = spawn(process.execPath, [...program, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: DEADLINE_MS,
  });
  let complained = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complained += bytes;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, complained })));
}

export function testTinyRuns(t: Test, names: readonly string[]): void {
  const runs = names.flatMap((name) =>
    (PARTS[name] ?? [undefined]).map((only) => ({
      name,
      only,
      title: [name, only].filter(Boolean).join(', '),
    })),
  );
  for (const { name, only, title } of runs) {
    t.test(
      `bench ${title}: runs and writes its figures`,
      { ...needs(...(SERVICES[name] ?? [])), ...(OF_PAGES.includes(name) ? needsBrowser() : {}) },
      async (t) => {
        await serviceUrl('postgres');
        const results = mkdtempSync(join(tmpdir(), 'millrace-bench-results-'));
        t.teardown(() => rmSync(results, { recursive: true, force: true }));

        const { code, complained } = await run({ name, only, results });

        t.equal(code, 0, complained.slice(-2_000));
        const page = readFileSync(join(results, `${name}.md`), 'utf8');
        // A table with a figure: a row whose first cell is a name.
        t.match(page, /^\| [^|]*[a-z/][^|]* \| [^|]*\d/m);
        t.match(readFileSync(join(results, 'README.md'), 'utf8'), `[${name}](${name}.md)`);
      },
    );
  }
}
