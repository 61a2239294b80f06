/** Programs that a bench starts, and ends by their own ids. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { compiledPrograms } from '../../test/support/run/compiled-programs.ts';
import type { Bench } from './bench.ts';

export const JOIN_TOKEN = 'bench-join-token-0123456789';
const root = join(import.meta.dirname, '../..');

export interface Program {
  readonly pid: number;
  /** Resolves with what it says after `ready`. Rejects when it ends before. */
  readonly ready: Promise<string>;
  /** Resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A Node program that prints a line `ready …` when it serves. `name`: in file names of its profile. */
export function launch(
  bench: Bench,
  main: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  name = basename(main, extname(main)),
): Program {
  const { profiles } = bench;
  const flags =
    profiles === undefined ? loaderFor(bench, main) : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const child = spawn(process.execPath, [...flags, main, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      MILLRACE_LOG_LEVEL: 'warn',
      MILLRACE_JOIN_TOKEN: JOIN_TOKEN,
      ...compiledPrograms(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${main} ended with ${code}`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (!line.startsWith('ready')) return;
      bench.addProfiled({ name, pid: child.pid ?? 0, readyUs: Number(process.hrtime.bigint() / 1_000n) });
      resolve(line.slice('ready'.length).trim());
    });
  });
  bench.atEnd(() => end(child));
  ready.catch(() => undefined); // told to whoever waits for it, so that the others are stopped then
  return { pid: child.pid ?? 0, ready, stop: (signal = 'SIGTERM') => end(child, signal) };
}

/** What this process was started with, for sources: the tests start tiny runs with a loader that strips them once. */
function loaderFor({ isTiny }: Bench, main: string): readonly string[] {
  return isTiny && main.endsWith('.ts') ? process.execArgv : [];
}

/** `millrace <command>`. */
export function millrace(bench: Bench, command: string, env: Readonly<Record<string, string>>): Program {
  // The launcher would start the pinned Node without the profile's flags. Profiles name the sources' files.
  const main = bench.profiles === undefined ? 'bin/millrace.js' : 'src/cli/main.ts';
  return launch(bench, join(root, main), [command], env, command);
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

/** Runs a program to its end; what it said. Throws unless its end is good. */
export async function runToEnd(argv: readonly string[], input?: string): Promise<string> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  child.stdin?.end(input);
  let [said, complaint] = ['', ''];
  child.stdout?.on('data', (bytes: Buffer) => {
    said = (said + bytes.toString()).slice(-10_000);
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-2_000);
  });
  return new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(said);
      else reject(new Error(`${program} ended with ${code}: ${complaint.trim()}`));
    });
  });
}

/** Runs `count` programs, some at once. */
export async function runMany(
  count: number,
  atOnce: number,
  argvOf: (index: number) => readonly string[],
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await runToEnd(argvOf(next));
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, worker));
}

export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1_024;
}
