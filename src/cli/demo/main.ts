/**
 * `npm run demo`: starts the service as a user would, gives it real files, shows its progress, checks every file, and
 * says how to go on. Exits with 0 only if every file arrived where it should.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { checkDemo } from './demo-check.ts';
import { type DemoFile, deliver, findDemoFiles } from './demo-files.ts';
import { report } from './demo-report.ts';
import { createDemo, type DemoDirectories } from './demo-types.ts';
import { InterfaceClient } from './interface-client.ts';
import { Progress } from './progress.ts';
import { startService } from './service.ts';

const FILES = 300;
const DEADLINE_MS = 300_000;

const root = resolve(import.meta.dirname, '../../..');

/** The default data folder, or a folder next to it if that is in use. */
async function chooseDataDir(): Promise<string> {
  const usual = join(root, '.millrace');
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? usual : `${usual}-demo-${number}`;
    const entries = await readdir(candidate).catch(() => []);
    if (entries.length === 0) return candidate;
  }
}

async function run(): Promise<number> {
  const dataDir = await chooseDataDir();
  const shown = relative(root, dataDir);
  const say = (text: string): void => {
    process.stdout.write(`${text}\n`);
  };
  say(`Millrace demo: data in ${shown}`);
  const startedMs = performance.now();
  const service = await startService(root, dataDir, process.env);
  try {
    say(`  serving at ${service.url} after ${seconds(startedMs)} s`);
    const client = new InterfaceClient(service.url);
    const at: DemoDirectories = {
      arrivals: join(dataDir, 'demo', 'arrivals'),
      archive: join(dataDir, 'demo', 'archive'),
    };
    await mkdir(at.arrivals, { recursive: true });
    await mkdir(at.archive, { recursive: true });
    const files = await findDemoFiles(join(root, 'node_modules'), FILES);
    const { strikeId, recipeTypeName } = await createDemo(client, at);
    say('  created two workspaces, three job types, a recipe type with a condition, and a strike');
    const fedMs = performance.now();
    for (const file of files) await deliver(file, at.arrivals);
    say(`  dropped ${files.length} files into ${relative(root, at.arrivals)}`);
    const firstMs = await follow(client, strikeId, files, fedMs);
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
    const command = shown === '.millrace' ? 'npm start' : `MILLRACE_DATA_DIR=${shown} npm start`;
    say(`\nTo go on with this data:  ${command}\n  status page        http://127.0.0.1:8080/`);
    say('  interface          http://127.0.0.1:8080/docs/');
    say(
      `  files              http://127.0.0.1:8080/v6/files/\n  drop more files into ${relative(root, at.arrivals)}`,
    );
    return verdict.problems.length === 0 ? 0 : 1;
  } finally {
    await service.stop();
  }
}

/** Shows progress until every recipe is complete; returns the time of the first product, in ms after the first file. */
async function follow(
  client: InterfaceClient,
  strikeId: number,
  files: readonly DemoFile[],
  fedMs: number,
): Promise<number> {
  const progress = new Progress(process.stdout);
  let firstMs = 0;
  while (performance.now() - fedMs < DEADLINE_MS) {
    const [ingested, products, completed] = await Promise.all([
      client.count(`/v6/ingests/?strike_id=${strikeId}&status=INGESTED`),
      client.count('/v6/files/?file_type=PRODUCT'),
      client.count('/v6/recipes/?is_completed=true'),
    ]);
    if (products > 0 && firstMs === 0) firstMs = performance.now() - fedMs;
    const all = files.length;
    progress.show(
      `  ingested ${ingested}/${all}   products ${products}/${2 * all}   recipes complete ${completed}/${all}`,
    );
    if (completed >= files.length) break;
    await new Promise((wake) => setTimeout(wake, 250));
  }
  progress.end();
  return firstMs;
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1_000).toFixed(1);
}

process.exitCode = await run();
