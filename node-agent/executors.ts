/** The executors that the configuration allows, and which of them work now: only those are offered. */
import type { Logger } from '../src/observe/log.ts';
import type { Clock } from './clock.ts';
import type { AgentConfig } from './config.ts';
import { createDockerExecutor } from './executor/docker.ts';
import type { Executor } from './executor/executor.ts';
import { createNoopExecutor } from './executor/noop.ts';
import { createProcessExecutor } from './executor/process.ts';
import type { Spawner } from './executor/spawner.ts';
import type { TaskSlots } from './executor/task-slots.ts';

export interface ExecutorsOptions {
  readonly config: AgentConfig;
  readonly slots: TaskSlots;
  readonly spawner: Spawner;
  readonly agentId: string;
  readonly workFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Throws for a name that no executor has: a mistake in the configuration should not look like a missing
 * engine.
 */
export function createExecutors(options: ExecutorsOptions): Executor[] {
  const { config, slots, spawner, agentId, workFolder, clock, log } = options;
  return config.executors.map((name) => {
    if (name === 'docker')
      return createDockerExecutor({ config: config.docker, agentId, workFolder, clock, log });
    if (name === 'noop:bench') return createNoopExecutor(clock);
    const profile = /^process:([A-Za-z0-9_-]+)$/.exec(name)?.[1];
    if (profile !== undefined) return createProcessExecutor({ profile, slots, spawner, clock, log });
    throw new Error(`no executor is called ${name}`);
  });
}

/** Names of those that work. */
export async function offeredExecutors(executors: readonly Executor[], log: Logger): Promise<string[]> {
  const offered: string[] = [];
  for (const executor of executors) {
    const reason = await executor.unavailable();
    if (reason === undefined) offered.push(executor.name);
    else log.warn('executor not offered', { executor: executor.name, reason });
  }
  return offered;
}
