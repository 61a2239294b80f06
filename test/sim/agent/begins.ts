/**
 * What must hold when a task begins on a host: its execution has not begun before, and it fits beside the tasks that
 * run there, unless it is the only one.
 */
import type { Trouble } from '../coordinator/coordinator.ts';
import type { SimHost } from './host.ts';

export class Begins {
  readonly #by = new Map<number, string>();

  /** `letsWait`: the agent is of a version that lets launches wait for room. */
  note(executionId: number, host: SimHost, letsWait: boolean): readonly Trouble[] {
    const by = `${host.agentId} in ${host.bootId}`;
    const before = this.#by.get(executionId);
    this.#by.set(executionId, by);
    // Not by agents of two lives of a node, and not by one that has lost what it knew.
    if (before !== undefined) {
      return [{ event: 'an execution was begun twice', text: `${executionId} by ${before}, ${by}` }];
    }
    const crowd = letsWait ? crowdOf(executionId, host) : undefined;
    if (crowd === undefined) return [];
    return [{ event: 'a task was begun beside too many others', text: `${executionId}: ${crowd}` }];
  }
}

/** What runs on the host is more than it has, with another task beside this one; undefined: it is not. */
function crowdOf(executionId: number, { tasks, resources, bootId }: SimHost): string | undefined {
  const running = [...tasks.values()].filter((one) => !one.isReported && one.bootId === bootId);
  if (running.every(({ launch }) => launch.executionId === executionId)) return undefined;
  const held: Record<string, number> = {};
  for (const { launch } of running) {
    for (const [name, amount] of Object.entries(launch.resources)) held[name] = (held[name] ?? 0) + amount;
  }
  const isTooMuch = Object.entries(held).some(([name, amount]) => amount > (resources[name] ?? 0) + 1e-6);
  return isTooMuch ? `${JSON.stringify(held)} of ${JSON.stringify(resources)}` : undefined;
}
