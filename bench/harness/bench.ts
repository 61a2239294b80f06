/**
 * What every bench is made of: sizes, subjects measured in turn, aims, and a page of results at the end.
 *
 *   node bench/<name>.bench.ts [--tiny] [--runs=3] [--results=folder] [--no-peers] [--profile=folder] [--<size>=n]
 *
 * Not here: absolute truths. On a machine that others use, ratios within a run and processor time can be read.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { median, writtenRange } from './figures.ts';
import { machineFacts } from './machine.ts';
import { flamesOf, type Profile } from './results/flame-frames.ts';
import { flameGraphOf } from './results/flame-graph.ts';
import type { Aim, Part, Row, Sample } from './results/result.ts';
import { pageOf } from './results/result-page.ts';
import { addedTo, keepResult } from './results/result-store.ts';

export const RESULTS = join(import.meta.dirname, '../results');

export interface Subject {
  readonly name: string;
  /** A run of it, whole: what it prepares is not measured, what it measures is in its sample. */
  readonly work: () => Promise<Sample>;
  readonly remark?: string;
  /** Run once before the first measured run. Default true. */
  readonly isWarmedUp?: boolean;
  /** Default: those of the bench. */
  readonly runs?: number;
  /** What others would use instead. When it fails it is reported as missing; ours fails the bench. */
  readonly isPeer?: boolean;
  /** Why it can't be had. */
  readonly missing?: string | undefined;
}

export interface Comparison {
  readonly title: string;
  readonly unit: string;
  readonly each: string;
  /** The first is what the others are compared with. */
  readonly subjects: readonly Subject[];
}

/** A program whose profile V8 writes when it ends. */
export interface Profiled {
  readonly name: string;
  readonly pid: number;
  /** When it was ready, in microseconds of the monotonic clock, which is that of profiles. */
  readonly readyUs: number;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export class Bench {
  readonly name: string;
  /** At a size at which it says nothing, to see that it runs. Nothing is installed then. */
  readonly isTiny: boolean;
  readonly runs: number;
  /** Where V8 leaves processor profiles of the programs that are measured. */
  readonly profiles: string | undefined;
  readonly #options: ReadonlyMap<string, string>;
  readonly #facts: (readonly [string, string])[] = machineFacts();
  readonly #parts: Part[] = [];
  readonly #aims: Aim[] = [];
  readonly #notes: string[] = [];
  readonly #closers: (() => unknown)[] = [];
  readonly #profiled: Profiled[] = [];
  #leavesPages = false;

  constructor(name: string, options: ReadonlyMap<string, string>) {
    this.name = name;
    this.#options = options;
    this.isTiny = options.has('tiny');
    this.runs = Number(options.get('runs') ?? (this.isTiny ? 1 : 3));
    this.profiles = options.get('profile');
    // Profiled programs are slower: their figures replace no page.
    this.#leavesPages = this.profiles !== undefined;
  }

  /** A size: `tiny` in tests, else `full`, or what `--<name>=` says. */
  parameter(name: string, tiny: number, full: number): number {
    const given = this.#options.get(name);
    const value = given === undefined ? (this.isTiny ? tiny : full) : Number(given);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name}=${given} is no size`);
    this.fact(name, String(value));
    return value;
  }

  /** What `--<name>=` says. */
  word(name: string): string | undefined {
    const given = this.#options.get(name);
    if (given !== undefined) this.fact(name, given);
    return given;
  }

  /** Whether a part is wanted: all are, unless `--only=` names others. */
  wants(part: string): boolean {
    const only = this.#options.get('only');
    return only === undefined || only.split(',').includes(part);
  }

  /** Peers run unless they are not wanted. */
  get hasPeers(): boolean {
    return !this.#options.has('no-peers');
  }

  /**
   * Called at the end, the last first, however the bench ends: what it started must not stay. It may be closed by then.
   */
  atEnd(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        process.stderr.write(`${error}\n`);
      }
    }
  }

  fact(name: string, value: string): void {
    if (!this.#facts.some((fact) => fact[0] === name)) this.#facts.push([name, value]);
  }

  note(text: string): void {
    this.#notes.push(text);
    say(text);
  }

  /** Told at once, and on no page: how far a long bench has come. */
  progress(text: string): void {
    say(text);
  }

  /** A run of a part alone: it takes the place of no page, unless `--results=` names one. */
  leavesPages(): void {
    this.#leavesPages = true;
  }

  /** Its profile is drawn at the end. Nothing is kept of a bench that is not profiled. */
  addProfiled(program: Profiled): void {
    if (this.profiles !== undefined) this.#profiled.push(program);
  }

  aim(aim: Aim): void {
    this.#aims.push(aim);
  }

  add(part: Part): void {
    this.#parts.push(part);
  }

  /** Warm-ups, then each subject in turn, run by run. The rows are in the order of the subjects. */
  async compare(comparison: Comparison): Promise<readonly Row[]> {
    const { subjects, ...head } = comparison;
    const wanted = subjects.filter(({ isPeer }) => isPeer !== true || this.hasPeers);
    const running = wanted.map((subject) => new Running(subject));
    for (const one of running) {
      if (one.subject.isWarmedUp !== false && !this.isTiny) await one.run(false);
    }
    const most = Math.max(...wanted.map(({ runs }) => runs ?? this.runs));
    for (let run = 0; run < most; run += 1) {
      for (const one of running) {
        if (run < Math.min(one.subject.runs ?? this.runs, this.isTiny ? this.runs : most))
          await one.run(true);
      }
    }
    const rows = running.map((one) => one.row());
    this.add({ kind: 'comparison', ...head, rows });
    say(`${comparison.title}, ${comparison.unit}`);
    for (const row of rows) {
      say(`  ${row.name.padEnd(44)} ${row.missing ?? writtenRange(row.samples.map(({ value }) => value))}`);
    }
    return rows;
  }

  async finish(about: string): Promise<void> {
    const command = ['npm run bench --', this.name, ...argumentsOf(this.#options)].join(' ');
    const { name } = this;
    const date = `${new Date().toISOString().slice(0, 16)}Z`;
    const [facts, parts, aims, notes] = [
      [...this.#facts, commitFact()],
      this.#parts,
      this.#aims,
      this.#notes,
    ];
    const result = { name, about, command, date, facts, parts, aims, notes };
    say(`\n${pageOf(result, new Set())}`);
    const named = this.#options.get('results') ?? (this.isTiny ? undefined : RESULTS);
    if (named !== undefined) await this.#drawFlames(join(named, 'flames'));
    const folder = this.#leavesPages ? this.#options.get('results') : named;
    if (folder === undefined) return;
    await keepResult(folder, this.#options.has('add') ? addedTo(folder, result) : result);
  }

  /** A flame graph of the main thread of each program, from when it was ready until its end. */
  async #drawFlames(folder: string): Promise<void> {
    const drawn = new Map<string, number>();
    for (const { name, pid, readyUs } of this.#profiled) {
      const [file] = globSync(`CPU.*.${pid}.0.*.cpuprofile`, { cwd: this.profiles });
      if (file === undefined) continue;
      const profile = JSON.parse(readFileSync(join(this.profiles ?? '', file), 'utf8')) as Profile;
      const count = (drawn.get(name) ?? 0) + 1;
      drawn.set(name, count);
      const path = join(folder, `${[this.name, name, ...(count > 1 ? [count] : [])].join('-')}.svg`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, `${await flameGraphOf(`${this.name}, ${name}`, flamesOf(profile, readyUs))}\n`);
      say(`flame graph: ${path}`);
    }
  }
}

/** A subject and what it has come to. */
class Running {
  readonly subject: Subject;
  readonly #samples: Sample[] = [];
  #missing: string | undefined;

  constructor(subject: Subject) {
    this.subject = subject;
    this.#missing = subject.missing;
  }

  async run(isKept: boolean): Promise<void> {
    if (this.#missing !== undefined) return;
    try {
      const sample = await this.subject.work();
      if (isKept) this.#samples.push(sample);
    } catch (error) {
      if (this.subject.isPeer !== true) throw error;
      this.#missing = String(error instanceof Error ? error.message : error).split('\n')[0] ?? 'failed';
    }
  }

  row(): Row {
    const { name, isPeer = false, remark } = this.subject;
    const samples = this.#missing === undefined ? this.#samples : [];
    return {
      ...{ name, isPeer, samples },
      ...(this.#missing === undefined ? {} : { missing: this.#missing }),
      ...(remark === undefined ? {} : { remark }),
    };
  }
}

/** The median of a row by its name; NaN when it is missing. */
export function medianOf(rows: readonly Row[], name: string): number {
  const row = rows.find((one) => one.name === name);
  return median(row?.samples.map(({ value }) => value) ?? []);
}

/** Median of the ratios of two rows, run by run; NaN when one is missing. */
export function ratioOf(rows: readonly Row[], name: string, beside: string): number {
  const values = (wanted: string) =>
    rows.find((one) => one.name === wanted)?.samples.map(({ value }) => value) ?? [];
  const [ours, theirs] = [values(name), values(beside)];
  // Peers that take long have fewer runs.
  if (ours.length !== theirs.length) return median(ours) / median(theirs);
  return median(ours.map((value, run) => value / (theirs[run] ?? Number.NaN)));
}

function argumentsOf(options: ReadonlyMap<string, string>): string[] {
  return [...options]
    .filter(([name]) => name !== 'results')
    .map(([name, value]) => (value === '' ? `--${name}` : `--${name}=${value}`));
}

function commitFact(): [string, string] {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: import.meta.dirname,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const changed = git('status', '--porcelain', '--untracked-files=no').trim();
    return [
      'commit',
      `${git('rev-parse', '--short', 'HEAD').trim()}${changed === '' ? '' : ', with changes'}`,
    ];
  } catch {
    return ['commit', 'unknown'];
  }
}

function optionsOf(args: readonly string[]): Map<string, string> {
  const options = new Map<string, string>();
  for (const arg of args) {
    const found = /^--([a-z][a-z-]*)(?:=(.*))?$/.exec(arg);
    if (found === null) throw new Error(`${arg}: options are --name or --name=value`);
    options.set(found[1] ?? '', found[2] ?? '');
  }
  return options;
}

/** The first comment of the bench, as paragraphs. */
export function aboutOf(path: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
  return lines.join('\n').trim();
}

/** Runs one bench, whole: `file` is `import.meta.filename`. */
export async function runBench(file: string, work: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = new Bench(basename(file, '.bench.ts'), optionsOf(process.argv.slice(2)));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bench.close().finally(() => process.exit(1)));
  }
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
  await bench.finish(aboutOf(file));
}
