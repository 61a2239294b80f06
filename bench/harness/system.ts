/**
 * Millrace as its users run it, for benchmarks: a PostgreSQL with everything durable, one coordinator and one agent,
 * each a process of its own, in a folder that goes away.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
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

const WIDE_AGENT = fileURLToPath(new URL('./load/wide-agent.ts', import.meta.url));

export interface SystemOptions {
  /**
   * `process`: an agent as users start it. `noop`: one that ends every task at once and offers 1,000 cpus. `wide`: one
   * that runs processes and offers as many.
   */
  readonly agent: 'process' | 'noop' | 'wide';
  /** Settings, besides. */
  readonly agentSettings?: Readonly<Record<string, string>>;
  readonly coordinatorSettings?: Readonly<Record<string, string>>;
}

export interface System {
  readonly client: InterfaceClient;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly coordinatorPid: number;
  /**
   * Processor time of coordinator, agent, tasks (the spawner, supervisors, and commands that have ended), postgres and
   * this program, which asks; bytes of the log ahead.
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
  const database = await openBenchDatabase(bench, join(folder, 'database'));
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = millrace(bench, 'coordinator', {
    DATABASE_URL: database.url,
    MILLRACE_HTTP: '127.0.0.1:0',
    MILLRACE_GRPC: grpc,
    MILLRACE_DATA_DIR: join(folder, 'coordinator'),
    ...options.coordinatorSettings,
  });
  let agent: Program | undefined;
  const stop = async (): Promise<void> => {
    await agent?.stop();
    await coordinator.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const client = new InterfaceClient(await coordinator.ready);
    // Not before: its tries to join would take the time that the coordinator starts in.
    const joined = await startAgent(bench, options, grpc, join(folder, 'agent'));
    agent = joined;
    await joined.ready;
    return {
      client,
      databaseUrl: database.url,
      folder,
      coordinatorPid: coordinator.pid,
      meter: {
        wal: database.meter.wal,
        cpu: () => ({ ...spentBy(coordinator, joined), ...database.meter.cpu() }),
      },
      databaseMeter: database.meter,
      resident: () => ({ coordinator: residentMib(coordinator.pid), agent: residentMib(joined.pid) }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function spentBy(coordinator: Program, agent: Program): Record<string, number> {
  const own = processorSeconds(agent.pid).own;
  return {
    coordinator: processorSeconds(coordinator.pid).own,
    agent: own,
    tasks: familySeconds(agent.pid) - own,
    client: processorSeconds(process.pid).own,
  };
}

async function startAgent(
  bench: Bench,
  options: SystemOptions,
  grpc: string,
  folder: string,
): Promise<Program> {
  if (options.agent !== 'process') {
    const executor = options.agent === 'noop' ? NOOP_EXECUTOR : 'process:default';
    return launch(bench, await wideAgent(bench), [grpc, folder, executor]);
  }
  return millrace(bench, 'agent', {
    MILLRACE_COORDINATORS: grpc,
    MILLRACE_EXECUTORS: 'process:default',
    MILLRACE_DATA_DIR: folder,
    ...options.agentSettings,
  });
}

/** Bundled as the agents of users are, but for profiles, which name the sources' files. */
async function wideAgent(bench: Bench): Promise<string> {
  if (bench.profiles !== undefined) return WIDE_AGENT;
  const folder = mkdtempSync(join(ROOT, 'dist.bench-'));
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  await bundle([WIDE_AGENT], folder);
  return join(folder, `${outputOf(WIDE_AGENT)}.js`);
}
