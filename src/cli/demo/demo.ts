/**
 * `millrace demo`: starts the service as a user would, gives it real files, shows its progress, checks every file, and
 * says how to continue.
 */
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { createNodeClient } from '../../client/node.ts';
import { checkDemo } from './demo-check.ts';
import { type DemoFile, deliver, findDemoFiles } from './demo-files.ts';
import { report } from './demo-report.ts';
import { createDemo, type DemoDirectories } from './demo-types.ts';
import { Progress } from './progress.ts';
import { startService } from './service.ts';

const FILES = 300;
const DEADLINE_MS = 300_000;

export interface DemoCall {
  /** The data folder is made here. */
  readonly cwd: string;
  /** The program that starts a service with the argument `up`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WriteStream;
  /** Ends it; the service is stopped. */
  readonly signal: AbortSignal;
}

/** The folder of the installed packages, beside Millrace or below it. It has hundreds of small files for the demo. */
function packagesFolder(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve('node/package.json')));
}

/** The default data folder, or a folder next to it if that is in use. */
async function chooseDataDir(cwd: string): Promise<string> {
  const usual = join(cwd, '.millrace');
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? usual : `${usual}-demo-${number}`;
    const entries = await readdir(candidate).catch(() => []);
    if (entries.length === 0) return candidate;
  }
}

/** The exit code: 0 only if every file arrived where it should. */
export async function runDemo({ cwd, program, env, stdout, signal }: DemoCall): Promise<number> {
  const dataDir = await chooseDataDir(cwd);
  const shown = relative(cwd, dataDir);
  const say = (text: string): void => {
    stdout.write(`${text}\n`);
  };
  say(`Millrace demo: data in ${shown}`);
  const startedMs = performance.now();
  const service = await startService(program, dataDir, env);
  try {
    say(`  serving at ${service.url} after ${seconds(startedMs)} s`);
    const client = createNodeClient({ server: service.url });
    const at: DemoDirectories = {
      arrivals: join(dataDir, 'demo', 'arrivals'),
      archive: join(dataDir, 'demo', 'archive'),
    };
    await mkdir(at.arrivals, { recursive: true });
    await mkdir(at.archive, { recursive: true });
    const files = await findDemoFiles(packagesFolder(), FILES);
    const { strikeId, recipeTypeName } = await createDemo(client, at);
    say('  created two workspaces, three job types, a recipe type with a condition, and a strike');
    const fedMs = performance.now();
    for (const file of files) await deliver(file, at.arrivals);
    say(`  dropped ${files.length} files into ${relative(cwd, at.arrivals)}`);
    const firstMs = await follow(client, strikeId, files, fedMs, new Progress(stdout, env), signal);
    const tookMs = performance.now() - fedMs;
    const verdict = await checkDemo(client, files, at.archive);
    await report({
      client,
      say,
      verdict,
      files,
      tookMs,
      firstMs,
      memory: await service.memory(),
      recipeTypeName,
    });
    // Installed, it was called by a link beside other programs.
    const isInstalled = (await realpath(program)).includes(`${sep}node_modules${sep}`);
    const start = isInstalled ? 'millrace up' : 'npm start';
    const command = shown === '.millrace' ? start : `MILLRACE_DATA_DIR=${shown} ${start}`;
    say(`\nTo continue with this data:  ${command}\n  console            http://127.0.0.1:8080/`);
    say('  interface          http://127.0.0.1:8080/docs/');
    say(
      `  files              http://127.0.0.1:8080/v6/files/\n  drop more files into ${relative(cwd, at.arrivals)}`,
    );
    return verdict.problems.length === 0 ? 0 : 1;
  } finally {
    await service.stop();
  }
}

/** Shows progress until every recipe is complete; returns the time of the first product, in ms after the first file. */
async function follow(
  client: Client,
  strikeId: number,
  files: readonly DemoFile[],
  fedMs: number,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  let firstMs = 0;
  while (performance.now() - fedMs < DEADLINE_MS) {
    const [ingested, products, completed] = await Promise.all([
      client.count('/v6/ingests/', { query: { strike_id: [strikeId], status: ['INGESTED'] }, signal }),
      client.count('/v6/files/', { query: { file_type: ['PRODUCT'] }, signal }),
      client.count('/v6/recipes/', { query: { is_completed: true }, signal }),
    ]);
    if (products > 0 && firstMs === 0) firstMs = performance.now() - fedMs;
    const all = files.length;
    progress.show(
      `  ingested ${ingested}/${all}   products ${products}/${2 * all}   recipes complete ${completed}/${all}`,
    );
    if (completed >= files.length) break;
    await sleep(250);
  }
  progress.end();
  return firstMs;
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1_000).toFixed(1);
}
