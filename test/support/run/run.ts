/**
 * `npm test`: starts the services, runs the test files four or more at a time, ends everything it started, and sums
 * up. Arguments pick files by a part of their path. A file that failed fails the run: none is run twice. Its last line
 * is `N passed, N failed`. `--record` keeps how long each file took as its quiet time. `npm run long` runs the files
 * `*.long.ts`, one at a time and without a limit. See docs/testing.md.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { SERVICE_ENV, SERVICE_NAMES, type ServiceName } from '../services/service.ts';
import { startServices } from '../services/services.ts';
import { FurtherFiles } from './further-files.ts';
import { KeptModules } from './kept-modules.ts';
import { limitOf, mergedQuietTimes, readQuietTimes, UNLIMITED, writeQuietTimes } from './limits.ts';
import { installMissing } from './packages.ts';
import { FileQueue } from './queue.ts';
import { type FileResult, runFile } from './test-file.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DIAGNOSTIC_CHARS_MAX = 6_000;
/** Characters of what tests said: first come seeds, last the logs of two or three programs. */
const SAID_FIRST = 1_000;
const SAID_LAST = 16_000;
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const say = (line: string) => process.stdout.write(`${line}\n`);

const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false }, long: { type: 'boolean', default: false } },
});

async function main(): Promise<number> {
  const all = globSync(flags.long ? 'test/**/*.long.ts' : '{test,node-agent}/**/*.test.ts', { cwd: ROOT });
  const files = all.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
  if (files.length === 0) {
    say(`no test file matches ${wanted.join(' ')}`);
    say('0 passed, 1 failed');
    return 1;
  }
  await installMissing(say);
  // Rebuilt if sources have changed, because tests run the built programs.
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { stdio: 'inherit' });
  const aborter = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => aborter.abort());
  const services = await startServices(servicesFor(files));
  try {
    const env = { ...cleanEnvironment(), ...services.env, MILLRACE_TEST_BUILT: 'yes' };
    const results = await runAll(files, env, aborter.signal);
    if (flags.record) writeQuietTimes(mergedQuietTimes(readQuietTimes(), results, new Set(all)));
    return summarise(results, aborter.signal.aborted);
  } finally {
    await services.stop();
  }
}

/** The S3 server takes time to start and some memory, so it is started only if a test file uses it. */
function servicesFor(files: readonly string[]): ServiceName[] {
  const asks = (file: string) => /testBucket|'s3'/.test(textOf(file));
  return SERVICE_NAMES.filter((name) => name !== 's3' || files.some(asks));
}

/** The caller's settings are removed, so that tests cannot use the caller's database. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const given = new Set<string>(SERVICE_NAMES.map((name) => SERVICE_ENV[name].url));
  const isKept = ([name]: [string, unknown]) =>
    given.has(name) ||
    !(
      /^(MILLRACE_|PG|npm_)/.test(name) ||
      ['DATABASE_URL', 'NATS_URL', 'NODE_OPTIONS', 'DOCKER_HOST'].includes(name)
    );
  return Object.fromEntries(Object.entries(process.env).filter(isKept));
}

async function runAll(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const quietTimes = readQuietTimes();
  const queue = new FileQueue(files, quietTimes, textOf);
  const modules = await KeptModules.make();
  /** Resolves with false if no file is left. */
  const runNext = async (lane: number): Promise<boolean> => {
    const file = await queue.take(lane);
    if (file === undefined || signal.aborted) return false;
    const limit = flags.long ? UNLIMITED : limitOf(file, quietTimes);
    const path = join(ROOT, file);
    const start = modules.startOf(path);
    const result = await runFile(path, {
      ...{ root: ROOT, limit, signal, nodeArgs: start.args },
      // tap's own limit of 30 s a file is for idle machines.
      env: { ...env, ...start.env, TAP_TIMEOUT: String(limit.tapSeconds) },
      ...(flags.long ? { onOutput: (chunk: Buffer) => process.stdout.write(chunk) } : {}),
    });
    queue.ended(file);
    results.push(result);
    report(result);
    return true;
  };
  const run = async (lane: number): Promise<void> => {
    while (await runNext(lane));
  };
  const { MILLRACE_TEST_JOBS: given } = process.env;
  const jobs = flags.long ? 1 : Number(given ?? 4);
  const further = flags.long || given !== undefined ? undefined : new FurtherFiles(runNext);
  try {
    await Promise.all(Array.from({ length: jobs }, (_, lane) => run(lane)));
    return results;
  } finally {
    await further?.end();
    modules.remove();
  }
}

function report(result: FileResult): void {
  const { file, passed, failures, skipped, comments, stderr, tookMs } = result;
  const notes = skipped.length > 0 ? `, ${skipped.length} not run` : '';
  const seconds = (tookMs / 1_000).toFixed(1);
  say(`${failures.length === 0 ? 'ok  ' : 'FAIL'} ${file}: ${passed} passed${notes} (${seconds} s)`);
  for (const { path, diagnostic } of failures) {
    say(`     ${path || '(file)'}`);
    say(readable(diagnostic).replace(/^/gm, '       '));
  }
  if (failures.length === 0) return;
  const said = comments.join('\n');
  if (said !== '') say(`     seeds and logs:\n${shortened(said).replace(/^/gm, '     # ')}`);
  if (stderr !== '') say(stderr.trimEnd().replace(/^/gm, '     | '));
}

function shortened(said: string): string {
  if (said.length <= SAID_FIRST + SAID_LAST) return said;
  return `${said.slice(0, SAID_FIRST)}\n…\n${said.slice(-SAID_LAST)}`;
}

/** tap's difference as text, then the place of the assertion, without the stack. */
function readable(diagnostic: unknown): string {
  if (typeof diagnostic === 'string') return diagnostic;
  const { diff, source, ...rest } = (diagnostic ?? {}) as Record<string, unknown>;
  const text = `${typeof diff === 'string' ? diff : ''}${inspect(rest, { depth: 8 })}`;
  return text.length > DIAGNOSTIC_CHARS_MAX ? `${text.slice(0, DIAGNOSTIC_CHARS_MAX)} …` : text;
}

function summarise(results: readonly FileResult[], isInterrupted: boolean): number {
  const skipped = results.flatMap(({ file, skipped }) => skipped.map((entry) => ({ file, ...entry })));
  for (const { file, path, reason } of skipped)
    say(`not run: ${file}: ${path}${reason ? ` (${reason})` : ''}`);
  // limit: on a build machine a skipped test fails the run, because everything has to run there.
  const isComplete = skipped.length === 0 || process.env.CI !== 'true';
  if (!isComplete) say('with CI=true nothing may be left out: each test that was not run counts as failed');
  if (isInterrupted) say('interrupted: the remaining files were not run');
  // Printed again at the end of the log.
  for (const { file, failures } of results)
    for (const { path } of failures) say(`failed: ${file}: ${path || '(file)'}`);
  const passed = results.reduce((sum, { passed }) => sum + passed, 0);
  const failed =
    results.reduce((sum, { failures }) => sum + failures.length, 0) +
    (isComplete ? 0 : skipped.length) +
    (isInterrupted ? 1 : 0);
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
