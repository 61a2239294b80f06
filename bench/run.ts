/**
 * `npm run bench` runs every benchmark, one after another; `npm run bench -- <name> [options]` one of them;
 * `npm run bench -- --list` says what each measures. Options are those of `harness/bench.ts`. Coordinators and agents
 * are measured as `npm ci` builds them.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { aboutOf } from './harness/bench.ts';

const SUFFIX = '.bench.ts';
const folder = import.meta.dirname;
/** File by name; `cluster/` has those of many agents or coordinators, `parts/` those of one part of the service. */
const files = new Map(
  globSync(`{,cluster/,parts/}*${SUFFIX}`, { cwd: folder }).map((file) => [
    basename(file, SUFFIX),
    join(folder, file),
  ]),
);
const names = [...files.keys()].sort();
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function fileOf(name: string): string {
  return files.get(name) ?? '';
}

function firstSentence(name: string): string {
  const text = aboutOf(fileOf(name)).replaceAll('\n', ' ');
  return /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text;
}

function list(): void {
  const width = Math.max(...names.map((each) => each.length));
  for (const name of names) say(`  ${name.padEnd(width)}  ${firstSentence(name)}`);
}

function build(): void {
  const { status } = spawnSync(process.execPath, [join(folder, '../scripts/build.ts')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the programs cannot be built');
}

/** Whether it ran to its end. */
function run(name: string, options: readonly string[]): boolean {
  say(`\n--- ${name}`);
  const { status } = spawnSync(process.execPath, [fileOf(name), ...options], {
    stdio: 'inherit',
  });
  return status === 0;
}

const given = process.argv.slice(2);
const [first] = given;
if (first === '--list') list();
else if (first !== undefined && !first.startsWith('--')) {
  if (names.includes(first)) {
    build();
    process.exitCode = run(first, given.slice(1)) ? 0 : 1;
  } else {
    say(`There is no bench ${first}.`);
    list();
    process.exitCode = 1;
  }
} else {
  build();
  const failed = names.filter((name) => !run(name, given));
  if (failed.length > 0) {
    say(`\nfailed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
