/** Seeded bugs in what keeps placements to the limits of job types and to open nodes, whatever the scheduler knows. */
import type { PlacedStart } from '../../../src/domain/job/job.ts';
import type { LockedJob, NewJobType } from '../../../src/store/job/pending-rows.ts';
import type { Seams } from '../coordinator/coordinator.ts';
import { type Anything, type Mutant, receiving } from './seams.ts';

/** What the guard sees of the rows of jobs, changed. */
function unguarded(change: (start: PlacedStart | undefined) => Partial<LockedJob>): Seams {
  return {
    prepared: (store) => {
      store.lockedRows = (rows, group) => {
        const starts = group.items('placeJobs', (placed) => placed.starts);
        return rows.map((row) => ({ ...row, ...change(starts.find(({ jobId }) => jobId === row.id)) }));
      };
    },
  };
}

/** What the guard sees of the types of jobs that are created and placed at once, changed. */
function unguardedNew(change: (start: PlacedStart) => Partial<NewJobType>): Seams {
  return {
    prepared: (store) => {
      store.newJobTypes = (types, group) => {
        const [start] = group.items('placeJobs', (placed) => placed.starts);
        return types.map((type) => ({ ...type, ...(start === undefined ? {} : change(start)) }));
      };
    },
  };
}

const neverOutdated = receiving('scheduler', (def, state, message, ctx) =>
  def.receive(
    state,
    message.type === 'jobsPlaced'
      ? { ...message, result: { ...message.result, isOutdated: false } }
      : message,
    ctx,
  ),
);

/** What agents give back is taken and forgotten. */
const withoutGivenBack = receiving('recipe', (def, state, message, ctx) => {
  if (message.type !== 'taskEnded') return def.receive(state, message, ctx);
  const results = message.results.filter((one: Anything) => one.result.neverBegan !== true);
  return results.length === 0 ? { state, effects: [] } : def.receive(state, { ...message, results }, ctx);
});

export const PLACEMENTS: readonly Mutant[] = [
  { bug: 'jobs of paused types are placed', seams: unguarded(() => ({ isTypePaused: false })), from: 23 },
  {
    bug: 'jobs are placed by a limit that their type has no longer',
    seams: unguarded((start) => (start === undefined ? {} : { maxScheduled: start.maxScheduled })),
    from: 7,
  },
  { bug: 'jobs are placed on paused nodes', seams: unguarded(() => ({ closedNodeIds: [] })), from: 9 },
  {
    bug: 'new jobs of paused types are placed',
    seams: unguardedNew(() => ({ isTypePaused: false })),
    from: 23,
  },
  {
    bug: 'new jobs are placed by a limit that their type has no longer',
    seams: unguardedNew(({ maxScheduled }) => ({ maxScheduled })),
    from: 53,
  },
  { bug: 'new jobs are placed on paused nodes', seams: unguardedNew(() => ({ closedNodeIds: [] })), from: 7 },
  { bug: 'a scheduler that knows old limits does not read rows again', seams: neverOutdated, from: 7 },
  { bug: 'what an agent gives back is not queued again', seams: withoutGivenBack, from: 6 },
];
