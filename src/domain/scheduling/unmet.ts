/** What the cluster lacks for queued jobs, and what of it changed since it was saved. */
import { unmetOf, unmetSentence } from './pass.ts';
import type { SchedulerState } from './scheduler-state.ts';

/** The changes of `unmet_resources` of job types; updates the copy in memory. */
export function unmetChanges(
  state: SchedulerState,
): readonly { readonly jobTypeId: number; readonly unmet: string | null }[] {
  state.isUnmetStale = false;
  const nodes = [...state.nodes.values()];
  const unmet = new Map<number, Set<string>>();
  for (const queue of state.classes.values()) {
    if (queue.isSpent) continue;
    const names = unmetOf(nodes, queue.class);
    if (names.length === 0) continue;
    const ofType = unmet.get(queue.class.jobTypeId) ?? new Set();
    for (const name of names) ofType.add(name);
    unmet.set(queue.class.jobTypeId, ofType);
  }
  const changes: { jobTypeId: number; unmet: string | null }[] = [];
  const typeIds = new Set([...unmet.keys(), ...state.types.keys()]);
  for (const jobTypeId of typeIds) {
    const names = unmet.get(jobTypeId);
    const text = names === undefined ? null : [...names].sort().join(',').slice(0, 250);
    const known = state.types.get(jobTypeId);
    if ((known?.unmet ?? null) === text) continue;
    state.types.set(jobTypeId, {
      jobTypeId,
      isPaused: known?.isPaused ?? false,
      maxScheduled: known?.maxScheduled ?? null,
      unmet: text,
    });
    changes.push({ jobTypeId, unmet: text });
  }
  return changes;
}

/** The same for classes, as a sentence: the `reason` of their queued jobs. Comes before `unmetChanges`. */
export function unmetClassChanges(
  state: SchedulerState,
): readonly { readonly key: string; readonly unmet: string | null }[] {
  const nodes = [...state.nodes.values()];
  const changes: { key: string; unmet: string | null }[] = [];
  for (const [key, queue] of state.classes) {
    const unmet = queue.isSpent ? null : unmetSentence(nodes, queue.class);
    if ((state.unmetClasses.get(key) ?? null) === unmet) continue;
    if (unmet === null) state.unmetClasses.delete(key);
    else state.unmetClasses.set(key, unmet);
    changes.push({ key, unmet });
  }
  return changes;
}
