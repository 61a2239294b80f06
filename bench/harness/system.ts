/**
 * Millrace as its users run it, for benchmarks: a PostgreSQL with everything durable, one coordinator and one agent,
 * each a process of its own, in a folder that goes away.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { InterfaceClient } from '../../src/cli/demo/interface-client.ts';
import { keepEmbedded } from '../../src/embedded/keep.ts';
import type { Logger } from '../../src/lib/logger.ts';
import { createLogger } from '../../src/observe/log.ts';
import { familySeconds, processorSeconds } from './processor-time.ts';

const JOIN_TOKEN = 'bench-join-token-0123456789';
const NOOP_AGENT = fileURLToPath(new URL('./noop-agent.ts', import.meta.url));
const root = join(import.meta.dirname, '../..');

export interface SystemOptions {
  /** `process`: an agent as users start it. `noop`: one that ends every task at once and offers 1,000 cpus. */
  readonly agent: 'process' | 'noop';
  /** Settings of the agent, besides. */
  readonly agentSettings?: Readonly<Record<string, string>>;
  /** Where V8 leaves its processor profiles of coordinator and agent. */
  readonly profiles?: string | undefined;
}

/** Processor seconds used until now. */
export interface Spent {
  readonly coordinator: number;
  readonly agent: number;
  /** The spawner, and supervisors and commands that have ended. */
  readonly tasks: number;
  readonly postgres: number;
}

export interface System {
  readonly client: InterfaceClient;
  readonly databaseUrl: string;
  readonly folder: string;
  spent(): Spent;
  /** MiB. */
  resident(): { readonly coordinator: number; readonly agent: number };
  stop(): Promise<void>;
}

interface Program {
  readonly child: ChildProcess;
  /** Resolves with what it says after `ready`. */
  readonly ready: Promise<string>;
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const log = createLogger({ level: 'warn', name: 'bench' });
  const database = await openDatabase(join(folder, 'database'), log);
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = startProgram(['coordinator'], options.profiles, {
    DATABASE_URL: database.url,
    MILLRACE_HTTP: '127.0.0.1:0',
    MILLRACE_GRPC: grpc,
    MILLRACE_DATA_DIR: join(folder, 'coordinator'),
  });
  const agent = startAgent(options, grpc, join(folder, 'agent'));
  const pid = (program: Program): number => program.child.pid ?? 0;
  const stop = async (): Promise<void> => {
    await ended(agent.child);
    await ended(coordinator.child);
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const client = new InterfaceClient(await coordinator.ready);
    await agent.ready;
    return {
      client,
      databaseUrl: database.url,
      folder,
      spent() {
        const own = processorSeconds(pid(agent)).own;
        return {
          coordinator: processorSeconds(pid(coordinator)).own,
          agent: own,
          tasks: familySeconds(pid(agent)) - own,
          postgres: database.seconds(),
        };
      },
      resident: () => ({ coordinator: residentMib(pid(coordinator)), agent: residentMib(pid(agent)) }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An empty database that is there already, for tiny runs whose figures nobody reads. */
const GIVEN_DATABASE = process.env.MILLRACE_BENCH_DATABASE_URL;

async function openDatabase(dataDir: string, log: Logger) {
  if (GIVEN_DATABASE !== undefined)
    return { url: GIVEN_DATABASE, seconds: () => 0, stop: async () => undefined };
  const embedded = await keepEmbedded({ dataDir, log });
  const seconds = () => familySeconds(embedded.current.pid);
  return { url: embedded.url, seconds, stop: () => embedded.stop() };
}

/** `processor time a job: ...` */
export function perJob(before: Spent, after: Spent, jobs: number): string {
  const names = ['coordinator', 'agent', 'tasks', 'postgres'] as const;
  const of = (name: (typeof names)[number]): number => ((after[name] - before[name]) * 1_000) / jobs;
  const parts = names.map((name) => `${name} ${of(name).toFixed(2)} ms`);
  const sum = names.reduce((total, name) => total + of(name), 0);
  return `processor time a job: ${sum.toFixed(2)} ms (${parts.join(', ')})`;
}

function startAgent(options: SystemOptions, grpc: string, folder: string): Program {
  if (options.agent === 'process') {
    return startProgram(['agent'], options.profiles, {
      MILLRACE_COORDINATORS: grpc,
      MILLRACE_EXECUTORS: 'process:default',
      MILLRACE_DATA_DIR: folder,
      ...options.agentSettings,
    });
  }
  return launch(NOOP_AGENT, [grpc, folder], options.profiles, {});
}

function startProgram(args: string[], profiles: string | undefined, env: Record<string, string>): Program {
  // The launcher would start the pinned Node without the profile's flags.
  const main = profiles === undefined ? 'bin/millrace.js' : 'src/cli/main.ts';
  return launch(join(root, main), args, profiles, env);
}

function launch(
  main: string,
  args: readonly string[],
  profiles: string | undefined,
  env: Readonly<Record<string, string>>,
): Program {
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const child = spawn(process.execPath, [...flags, main, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      MILLRACE_LOG_LEVEL: 'warn',
      MILLRACE_JOIN_TOKEN: JOIN_TOKEN,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${main} ended with ${code}`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('ready')) resolve(line.slice('ready'.length).trim());
    });
  });
  ready.catch(() => undefined); // told to whoever waits for it, so that the others are stopped then
  return { child, ready };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await end;
}

function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1_024;
}
