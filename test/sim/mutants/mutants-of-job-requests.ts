/** Seeded bugs in requests to cancel or requeue many jobs. */
import type { Seams } from '../coordinator/coordinator.ts';
import { type Anything, type Mutant, receiving, saving, withoutReconcile } from './seams.ts';

/** What requests remember of jobs is forgotten before each of them. */
function unstamped(kind: 'job' | 'recipe'): Seams {
  return receiving(kind, (def, state: Anything, message, ctx) => {
    if (state !== undefined && message.position !== undefined) {
      const jobs: Anything[] = kind === 'job' ? [state.state.job] : [...state.progress.tree.jobs.values()];
      for (const job of jobs) job.requestPosition = null;
    }
    return def.receive(state, message, ctx);
  });
}

/** Only memory knows what its nodes are told to cancel. */
const canceledInMemory = receiving('scan', (def, state: Anything, message, ctx) => {
  if (message.type === 'cancelPageRead' && state !== undefined) {
    Object.defineProperty(state, 'cancelOpen', { get: () => 0, set: () => undefined, configurable: true });
  }
  return def.receive(state, message, ctx);
});

export const JOB_REQUESTS: readonly Mutant[] = [
  { bug: 'no sweep of requests for many jobs', seams: withoutReconcile('job_request'), from: 4 },
  {
    bug: 'requests give up owners that do not answer',
    seams: saving((change) => (change.type === 'advanceJobRequest' ? [{ ...change, added: [] }] : [change])),
    from: 6,
  },
  {
    bug: 'requests do not wait for earlier ones',
    seams: { requestRows: (rows) => ({ ...rows, earlierRequests: async () => [] }) },
    from: 10,
  },
  {
    bug: 'requests come past what earlier ones have left behind',
    seams: { requestRows: (rows) => ({ ...rows, heldJobs: async () => [] }) },
    from: 37,
  },
  {
    bug: 'backlogs are worked off in any order',
    seams: {
      requestRows: (rows) => ({
        ...rows,
        backlogPage: async (...args) =>
          (await rows.backlogPage(...args)).map((one) => ({ ...one, isHeld: false })),
      }),
    },
    from: 43,
  },
  { bug: 'owners of jobs take requests that come too late', seams: unstamped('job'), from: 17 },
  { bug: 'owners of recipes take requests that come too late', seams: unstamped('recipe'), from: 71 },
  {
    bug: 'which request changed a job is not saved',
    seams: saving((change) => (change.type === 'stampJobs' ? [] : [change])),
    from: 4,
  },
  { bug: 'a cancel of a scan does not wait for the nodes', seams: canceledInMemory, from: 19 },
];
