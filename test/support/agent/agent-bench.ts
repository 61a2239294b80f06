/** A coordinator, an agent and their folders for one test, taken down with it. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, startAgent } from '../../../node-agent/agent.ts';
import { systemClock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS, type AgentConfig } from '../../../node-agent/config.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { AgentProcess } from './agent-process.ts';
import { FakeCoordinator, type FakeCoordinatorOptions } from './fake-coordinator.ts';
import { hostWorkspace } from './make-launch.ts';

interface Test {
  teardown(call: () => unknown): void;
}

export interface AgentBench {
  readonly folder: string;
  /** The directory of a workspace. */
  readonly workspace: string;
  readonly coordinator: FakeCoordinator;
  readonly config: AgentConfig;
  /** Names of the folders of executions, without those that are kept for later tasks or set aside. */
  foldersOfTasks(): string[];
  /** Starts an agent in this process, which logs to `log`. */
  start(): Promise<Agent>;
  /** Starts an agent as a separate process. `through`: a program with arguments that executes it. */
  spawn(through?: readonly string[]): AgentProcess;
  readonly log: string[];
}

/** All folders are in /tmp, which the users of tasks can pass. */
export async function agentBench(
  t: Test,
  overrides: Partial<AgentConfig> = {},
  options: FakeCoordinatorOptions = {},
): Promise<AgentBench> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-agent-'));
  chmodSync(folder, 0o711);
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace, { mode: 0o700 });
  const coordinator = await FakeCoordinator.start(folder, options);
  const config: AgentConfig = {
    ...AGENT_DEFAULTS,
    nodeName: 'probe-host',
    version: '0.0.0',
    folder: join(folder, 'agent'),
    addresses: [coordinator.address],
    joinToken: 'join-token-of-the-test',
    resources: { cpus: 64, mem: 65_536, disk: 1_000_000 },
    // Most tests need no markers.
    declaredWorkspaces: [hostWorkspace('').uuid],
    ...overrides,
  };
  const log: string[] = [];
  const ends: (() => Promise<unknown>)[] = [];
  t.teardown(async () => {
    for (const end of ends) await end();
    coordinator.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    workspace,
    coordinator,
    config,
    log,
    foldersOfTasks: () => readdirSync(join(config.folder, 'executions')).filter((name) => /^\d+$/.test(name)),
    start: async () => {
      const logger = createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } });
      const agent = await startAgent({ config, log: logger, clock: systemClock, random: Math.random });
      let stopping: Promise<void> | undefined;
      const stop = (how?: { drain?: boolean }): Promise<void> => (stopping ??= agent.stop(how));
      ends.push(stop);
      return { nodeName: agent.nodeName, welcomed: agent.welcomed, stop };
    },
    spawn: (through) => {
      const agent = AgentProcess.start(config, through);
      ends.push(() => agent.end('SIGTERM'));
      return agent;
    },
  };
}
