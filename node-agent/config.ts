/** What the agent has to be told; whoever composes the program reads it from the settings. */
import type { Amounts } from '../src/domain/node/agent-messages.ts';
import type { UserRange } from './executor/process/task-slots.ts';
import type { ObjectStoreConfig } from './workspaces.ts';

export interface DockerConfig {
  /** `unix:///var/run/docker.sock`, `tcp://host:2375`. */
  readonly host: string;
  /** The work folder as the engine sees it, when the agent runs in a container itself. */
  readonly hostWorkFolder?: string;
}

/** What holds for containers, whatever runs them. */
export interface ContainersConfig {
  /**
   * Network of the containers that ask for one; `none`: no such task comes here. `host`, or one that the engine has.
   */
  readonly network: string;
  /** User of the containers when the agent is root: `user` or `user:group`. */
  readonly user: string;
  /** Credentials of private registries, as `docker login` keeps them. */
  readonly registryAuthFile?: string;
  /** limit: MiB of unpacked images that the `oci` executor keeps for the next task. */
  readonly imageCacheMib: number;
  /** User ids that those of containers are mapped to by the `oci` executor. */
  readonly mappedUsers: UserRange;
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
  /** Absent: sessions are not encrypted. `folder`: of certificates that were brought by hand; it need not be there. */
  readonly tls?: { readonly folder: string };
  readonly labels: Readonly<Record<string, string>>;
  /** Executors to offer, where they work: `oci`, `docker`, `process:<profile>`. */
  readonly executors: readonly string[];
  /** Instead of what the host has: cpus in cores, mem and disk in MiB, gpus in units. */
  readonly resources: Amounts;
  /** User ids for process tasks when the agent is root. */
  readonly taskUsers: UserRange;
  readonly docker: DockerConfig;
  readonly containers: ContainersConfig;
  /** Workspaces whose directories need no marker here: `uuid`, or `uuid=/path` where they lie elsewhere here. */
  readonly declaredWorkspaces: readonly string[];
  /** What workspaces of type objstore do not say themselves. */
  readonly objectStore?: ObjectStoreConfig;
}

/** Everything that has a sensible default. */
export const AGENT_DEFAULTS = {
  labels: {},
  executors: ['process:default'],
  resources: {},
  taskUsers: { first: 2_000_000_000, count: 10_000 },
  docker: { host: 'unix:///var/run/docker.sock' },
  containers: {
    network: 'none',
    user: '65534:65534',
    imageCacheMib: 20_480,
    mappedUsers: { first: 2_000_100_000, count: 65_536 },
  },
  declaredWorkspaces: [],
} as const satisfies Partial<AgentConfig>;
