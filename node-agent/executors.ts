/** Creates the configured executors, and tests which of them work at present: only those are offered. */
import type { Amounts } from '../src/domain/node/agent-messages.ts';
import type { Launch } from '../src/domain/node/coordinator-messages.ts';
import { executorOf } from '../src/domain/scheduling/scheduling-class.ts';
import { diskFullCause } from '../src/lib/disk-space.ts';
import type { Logger } from '../src/observe/log.ts';
import type { Clock } from './clock.ts';
import type { AgentConfig } from './config.ts';
import type { Executor } from './executor/executor.ts';
import { createNoopExecutor, NOOP_EXECUTOR } from './executor/noop.ts';
import { createOciExecutor } from './executor/oci/oci.ts';
import { createProcessExecutor } from './executor/process/process.ts';
import type { TaskSlots } from './executor/process/task-slots.ts';
import type { Spawner } from './executor/spawner/spawner.ts';
import type { MountConfiguration } from './task/task-spec.ts';

export interface ExecutorsOptions {
  readonly config: AgentConfig;
  readonly slots: TaskSlots;
  readonly spawner: Spawner;
  readonly agentId: string;
  readonly workFolder: string;
  /** Folder of unpacked images. */
  readonly images: string;
  /** Graphics processors, as offered. */
  readonly gpuCount: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Throws for an unknown name: a mistake in the configuration must not look like a missing engine. */
export function createExecutors(options: ExecutorsOptions): Promise<Executor[]> {
  const { config, slots, spawner, agentId, workFolder, clock, log, gpuCount, images } = options;
  const create = async (name: string): Promise<Executor> => {
    if (name === 'docker') {
      // Only agents with an engine need its client: 2 MiB as it is built into programs, 9 from its package.
      const { createDockerExecutor } = await import('./executor/docker/docker.ts');
      return createDockerExecutor({
        config: config.docker,
        containers: config.containers,
        gpuCount,
        agentId,
        workFolder,
        clock,
        log,
      });
    }
    if (name === 'oci') {
      const { containers } = config;
      return createOciExecutor({ containers, workFolder, images, spawner, clock, log });
    }
    if (name === NOOP_EXECUTOR) return createNoopExecutor(clock);
    const profile = /^process:([A-Za-z0-9_-]+)$/.exec(name)?.[1];
    if (profile !== undefined) return createProcessExecutor({ profile, slots, spawner, clock, log });
    throw new Error(`no executor is called ${name}`);
  };
  return Promise.all(config.executors.map(create));
}

/** The executors that work at present. */
export interface Offered {
  readonly names: readonly string[];
  /** Executors that could not be tested because the disk is full, and are tested again. */
  readonly untried: readonly Executor[];
  /** Why none of those that are configured works; undefined if one does, or none is configured. */
  readonly refusal: string | undefined;
}

export async function offeredExecutors(
  executors: readonly Executor[],
  workFolder: string,
  log: Logger,
): Promise<Offered> {
  const names: string[] = [];
  const untried: Executor[] = [];
  const reasons: string[] = [];
  for (const executor of executors) {
    const { name } = executor;
    const reason = await executor.unavailable().catch((error: Error) => error.message);
    if (reason === undefined) names.push(name);
    else {
      log.warn('executor_not_offered', { executor: name, reason });
      reasons.push(`${name}: ${reason}`);
      if (diskFullCause(reason, workFolder) !== undefined) untried.push(executor);
    }
  }
  const isNone = names.length === 0 && reasons.length > 0;
  const refusal = isNone ? `it moves files and runs no jobs: ${reasons.join('; ')}` : undefined;
  return { names, untried, refusal };
}

/** Units of `network` that a node offers if containers may have one; it never runs out. */
const NETWORK_UNITS = 10_000;

/** The resources that a node offers by configuration rather than measurement. */
export function offeredByConfiguration({ containers, resources }: AgentConfig): Amounts {
  return containers.network === 'none' ? resources : { network: NETWORK_UNITS, ...resources };
}

/** The executor for a new launch: `oci` runs containers if it is offered and supports what the launch needs. */
export function chooseExecutor(launch: Launch, offered: readonly string[], network: string): string {
  const wanted = executorOf(launch.containerImage);
  if (wanted !== 'docker' || !offered.includes('oci')) return wanted;
  return offered.includes('docker') && needsEngine(launch, network) ? 'docker' : 'oci';
}

/** GPUs, networks other than the host's, and volumes with drivers need the engine. */
function needsEngine({ resources, mounts }: Launch, network: string): boolean {
  const { gpus = 0, network: wanted = 0 } = resources;
  return gpus > 0 || (wanted > 0 && network !== 'host') || hasDriverVolume(mounts);
}

function hasDriverVolume(mounts: string): boolean {
  try {
    const configured = Object.values(JSON.parse(mounts || '{}') as Record<string, MountConfiguration | null>);
    return configured.some((mount) => mount?.type === 'volume' && !isPlainVolume(mount));
  } catch {
    return false; // an invalid launch is refused later, when it is read
  }
}

function isPlainVolume({ driver = '', driver_opts: options = {} }: MountConfiguration): boolean {
  return (driver === '' || driver === 'local') && Object.keys(options).length === 0;
}
