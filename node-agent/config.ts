/** The configuration of the agent; the composing program reads it from the settings. */
import type { Amounts } from '../src/domain/node/agent-messages.ts';
import type { UserRange } from './executor/process/task-slots.ts';
import type { ObjectStoreConfig } from './workspaces.ts';

export interface DockerConfig {
  /** `unix:///var/run/docker.sock`, `tcp://host:2375`. */
  readonly host: string;
  /** The work folder as the engine sees it, when the agent runs in a container itself. */
  readonly hostWorkFolder?: string;
}

/** Configuration of containers, for every executor. */
export interface ContainersConfig {
  /**
   * The network of containers that need one: `host`, or the name of one of the engine's networks. With `none`, no task
   * that needs a network is sent here.
   */
  readonly network: string;
  /** User of the containers when the agent is root: `user` or `user:group`. */
  readonly user: string;
  /** Credentials of private registries, as `docker login` keeps them. */
  readonly registryAuthFile?: string;
  /** limit: MiB of unpacked images that the `oci` executor keeps for the next task. */
  readonly imageCacheMib: number;
  /** What runs the containers of the `oci` executor. `auto`: the light runtime if it works here, else runc. */
  readonly runtime: 'auto' | 'light' | 'runc';
  /** User ids of this host to which the `oci` executor maps the user ids of containers. */
  readonly mappedUsers: UserRange;
}

export interface AgentConfig {
  readonly nodeName: string;
  readonly version: string;
  /** The agent's own folder: identity, journal, lock. */
  readonly folder: string;
  /** The folder for tasks. Absent: one is chosen (`openDataFolder`). */
  readonly workFolder?: string;
  /** Coordinators: `host:port` or `unix:/path`. */
  readonly addresses: readonly string[];
  readonly joinToken: string;
  /** Absent: sessions are not encrypted. `folder`: where manually created certificates are, if there are any. */
  readonly tls?: { readonly folder: string };
  readonly labels: Readonly<Record<string, string>>;
  /** Executors to offer if they work: `oci`, `docker`, `process:<profile>`. */
  readonly executors: readonly string[];
  /** Replaces what the host has: cpus in cores, mem and disk in MiB, gpus in units. */
  readonly resources: Amounts;
  /** User ids for process tasks when the agent is root. */
  readonly taskUsers: UserRange;
  readonly docker: DockerConfig;
  readonly containers: ContainersConfig;
  /** Workspaces whose directories need no marker here: `uuid`, or `uuid=/path` for another directory on this host. */
  readonly declaredWorkspaces: readonly string[];
  /** Defaults for workspaces of type objstore. */
  readonly objectStore?: ObjectStoreConfig;
}

/** All values with a sensible default. */
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
    runtime: 'auto',
    mappedUsers: { first: 2_000_100_000, count: 65_536 },
  },
  declaredWorkspaces: [],
} as const satisfies Partial<AgentConfig>;
