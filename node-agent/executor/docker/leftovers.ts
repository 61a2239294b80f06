/**
 * Removes containers and volumes that earlier runs of the agent left in the engine and that no execution needs. If the
 * agent has lost its identity, they are recognized by the name of its folder, whose lock this agent holds.
 */
import type Docker from 'dockerode';
import type { Logger } from '../../../src/observe/log.ts';
import { LABEL } from './container.ts';
import { isAbsent, messageOf } from './engine.ts';

export interface CleanupContext {
  readonly engine: Docker;
  readonly agentId: string;
  readonly workFolder: string;
  readonly log: Logger;
}

/** Never rejects: if the engine does not answer, the next start tries again. */
export async function removeLeftContainers(
  context: CleanupContext,
  held: ReadonlySet<number>,
): Promise<void> {
  const { log } = context;
  try {
    const removed = (await removeContainers(context, held)) + (await removeVolumes(context));
    if (removed > 0) log.info('leftovers_removed', { executor: 'docker', removed });
  } catch (error) {
    log.warn('leftovers_not_removed', { error: messageOf(error) });
  }
}

async function removeContainers(context: CleanupContext, held: ReadonlySet<number>): Promise<number> {
  const { engine, agentId } = context;
  let removed = 0;
  for (const label of labelsOf(context)) {
    const found = await engine.listContainers({ all: true, filters: { label: [label] } });
    for (const { Id, Labels } of found) {
      const isHeld = Labels[LABEL.agent] === agentId && held.has(Number(Labels[LABEL.execution]));
      if (isHeld) continue;
      await engine.getContainer(Id).remove({ force: true, v: true }).catch(passAbsent);
      removed += 1;
    }
  }
  return removed;
}

/** Volumes that a container uses are kept, because the engine refuses to remove them. */
async function removeVolumes(context: CleanupContext): Promise<number> {
  const { engine } = context;
  let removed = 0;
  for (const label of labelsOf(context)) {
    const { Volumes } = await engine.listVolumes({ filters: { label: [label], dangling: ['true'] } });
    for (const { Name } of Volumes ?? []) {
      await engine.getVolume(Name).remove().catch(passAbsent);
      removed += 1;
    }
  }
  return removed;
}

function labelsOf({ agentId, workFolder }: CleanupContext): string[] {
  return [`${LABEL.agent}=${agentId}`, `${LABEL.folder}=${workFolder}`];
}

function passAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}
