/**
 * Millrace as its users run it, for benchmarks: a PostgreSQL with everything durable, one coordinator and one agent,
 * each a process of its own, in a folder that goes away. Where a bench asks for it, there are several coordinators, and
 * several agents in one process.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOOP_EXECUTOR } from '../../node-agent/executor/noop.ts';
import { bundle, outputOf, ROOT } from '../../scripts/build/bundle.ts';
import { InterfaceClient } from '../../test/support/clients/interface-client.ts';
import { freePort } from '../../test/support/services/free-port.ts';
import type { Bench } from './bench.ts';
import { openBenchDatabase } from './database.ts';
import type { Meter } from './meter.ts';
import { familySeconds, processorSeconds } from './processor-time.ts';
import { launch, millrace, type Program, residentMib } from './program.ts';

/** A file system in memory, where there is one. */
const MEMORY = '/dev/shm';
const WIDE_AGENT = fileURLToPath(new URL('./load/wide-agent.ts', import.meta.url));

export interface SystemOptions {
  /**
   * `process`: an agent as users start it. `noop`: one that ends every task at once and offers 1,000 cpus. `wide`: one
   * that runs processes and offers as many.
   */
  readonly agent: 'process' | 'noop' | 'wide';
  /** How many agents share what a `noop` or `wide` one offers. Default 1. */
  readonly agentCount?: number;
  /**
   * Whether the folders of agents are in memory. Several hosts have a disk each, and one disk under the journals of all
   * would be what is measured.
   */
  readonly keepsAgentsInMemory?: boolean;
  /** Default 1. Several need the settings that coordinators share. */
  readonly coordinatorCount?: number;
  /** Settings, besides. */
  readonly agentSettings?: Readonly<Record<string, string>>;
  readonly coordinatorSettings?: Readonly<Record<string, string>>;
}

export interface System {
  /** The client of the first coordinator. */
  readonly client: InterfaceClient;
  /** Clients of all coordinators. */
  readonly clients: readonly InterfaceClient[];
  readonly databaseUrl: string;
  readonly folder: string;
  readonly coordinatorPid: number;
  /**
   * Processor time of coordinators, agents, tasks (the spawner, supervisors, and commands that have ended), postgres
   * and this program, which asks; bytes of the log ahead.
   */
  readonly meter: Required<Meter>;
  /** postgres alone. */
  readonly databaseMeter: Required<Meter>;
  /** MiB. */
  resident(): { readonly coordinator: number; readonly agent: number };
  stop(): Promise<void>;
}

export async function startSystem(bench: Bench, options: SystemOptions): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  chmodSync(folder, 0o711); // passable for the users of tasks and of the database
  const agentFolder =
    options.keepsAgentsInMemory === true && existsSync(MEMORY)
      ? mkdtempSync(join(MEMORY, 'millrace-bench-'))
      : join(folder, 'agent');
  const remove = (): void => {
    for (const each of [folder, agentFolder]) rmSync(each, { recursive: true, force: true });
  };
  bench.atEnd(remove);
  const database = await openBenchDatabase(bench, join(folder, 'database'));
  const coordinators: Program[] = [];
  let agent: Program | undefined;
  const stop = async (): Promise<void> => {
    await agent?.stop();
    await Promise.all(coordinators.map((one) => one.stop()));
    await database.stop();
    remove();
  };
  try {
    const clients: InterfaceClient[] = [];
    const addresses: string[] = [];
    // One after the other: the first makes the schema, and the key of secrets.
    while (clients.length < (options.coordinatorCount ?? 1)) {
      const grpc = `127.0.0.1:${await freePort()}`;
      const coordinator = millrace(bench, 'coordinator', {
        DATABASE_URL: database.url,
        MILLRACE_HTTP: '127.0.0.1:0',
        MILLRACE_GRPC: grpc,
        MILLRACE_DATA_DIR: join(folder, `coordinator${clients.length === 0 ? '' : clients.length}`),
        ...options.coordinatorSettings,
      });
      coordinators.push(coordinator);
      addresses.push(grpc);
      clients.push(new InterfaceClient(await coordinator.ready));
    }
    // Not before: its tries to join would take the time that the coordinator starts in.
    const joined = await startAgent(bench, options, addresses.join(), agentFolder);
    agent = joined;
    await joined.ready;
    const [first, client] = [coordinators[0] as Program, clients[0] as InterfaceClient];
    return {
      client,
      clients,
      databaseUrl: database.url,
      folder,
      coordinatorPid: first.pid,
      meter: {
        wal: database.meter.wal,
        cpu: () => ({ ...spentBy(coordinators, joined), ...database.meter.cpu() }),
      },
      databaseMeter: database.meter,
      resident: () => ({ coordinator: residentMib(first.pid), agent: residentMib(joined.pid) }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function spentBy(coordinators: readonly Program[], agent: Program): Record<string, number> {
  const own = processorSeconds(agent.pid).own;
  return {
    coordinator: coordinators.reduce((sum, { pid }) => sum + processorSeconds(pid).own, 0),
    agent: own,
    tasks: familySeconds(agent.pid) - own,
    client: processorSeconds(process.pid).own,
  };
}

async function startAgent(
  bench: Bench,
  options: SystemOptions,
  addresses: string,
  folder: string,
): Promise<Program> {
  if (options.agent !== 'process') {
    const executor = options.agent === 'noop' ? NOOP_EXECUTOR : 'process:default';
    const count = String(options.agentCount ?? 1);
    return launch(bench, await wideAgent(bench, options.agent), [addresses, folder, executor, count]);
  }
  return millrace(bench, 'agent', {
    MILLRACE_COORDINATORS: addresses,
    MILLRACE_EXECUTORS: 'process:default',
    MILLRACE_DATA_DIR: folder,
    ...options.agentSettings,
  });
}

/** The folder of the bundled agent, once it is asked for. */
let bundled: Promise<string> | undefined;

/**
 * Bundled as the agents of users are, but for profiles, which name the sources' files, and for tiny runs, in which the
 * bundle takes longer than the rest; of these only a `wide` one is, so that tests notice a bundle that does not start.
 */
async function wideAgent(bench: Bench, kind: 'noop' | 'wide'): Promise<string> {
  if (bench.profiles !== undefined || (bench.isTiny && kind === 'noop')) return WIDE_AGENT;
  bundled ??= bundleWideAgent(bench);
  return join(await bundled, `${outputOf(WIDE_AGENT)}.js`);
}

async function bundleWideAgent(bench: Bench): Promise<string> {
  const folder = mkdtempSync(join(ROOT, 'dist.bench-'));
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  await bundle([WIDE_AGENT], folder);
  return folder;
}
