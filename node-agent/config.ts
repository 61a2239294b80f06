/** What the agent has to be told; whoever composes the program reads it from the settings. */
import type { Amounts } from '../src/domain/node/agent-messages.ts';
import type { UserRange } from './executor/task-slots.ts';

export interface DockerConfig {
  /** `unix:///var/run/docker.sock`, `tcp://host:2375`. */
  readonly host: string;
  /** Network of the containers; `none` isolates them. */
  readonly network: string;
  /** User of the containers. */
  readonly user: string;
  /** The work folder as the engine sees it, when the agent runs in a container itself. */
  readonly hostWorkFolder?: string;
}

export interface AgentConfig {
  readonly nodeName: string;
  readonly version: string;
  /** The agent's own folder: identity, journal, lock. */
  readonly folder: string;
  /** Where tasks work, when it is not to be found out. */
  readonly workFolder?: string;
  /** Coordinators: `host:port` or `unix:/path`. */
  readonly addresses: readonly string[];
  readonly joinToken: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Executors to offer, where they work: `docker`, `process:<profile>`. */
  readonly executors: readonly string[];
  /** Instead of what the host has: cpus in cores, mem and disk in MiB, gpus in units. */
  readonly resources: Amounts;
  /** User ids for process tasks when the agent is root. */
  readonly taskUsers: UserRange;
  readonly docker: DockerConfig;
  /** Uuids of workspaces whose directories need no marker here. */
  readonly declaredWorkspaces: readonly string[];
}

/** Everything that has a sensible default. */
export const AGENT_DEFAULTS = {
  labels: {},
  executors: ['process:default'],
  resources: {},
  taskUsers: { first: 2_000_000_000, count: 10_000 },
  docker: { host: 'unix:///var/run/docker.sock', network: 'none', user: '65534:65534' },
  declaredWorkspaces: [],
} as const satisfies Partial<AgentConfig>;
