/** Seeded bugs in what scans, buckets, batches, reprocessing and purges do. */
import { type ReplyTo, reply, stay } from '../../../src/kernel/mod.ts';
import type { Seams } from '../coordinator/coordinator.ts';
import { type Anything, answering, type Mutant, receiving, saving, withoutReconcile } from './seams.ts';

/** A page that was settled is settled once more, as if it came next. */
const pageTwice = receiving('scan', (def, state: Anything, message, ctx) => {
  if (message.type !== 'rulesMatched' || state === undefined) return def.receive(state, message, ctx);
  const before = state.run?.cursor;
  const first = def.receive(state, message, ctx);
  if (state.run === null || state.run.cursor === before) return first;
  state.run.cursor = before;
  const second = def.receive(state, message, ctx);
  return { ...second, effects: [...first.effects, ...second.effects] };
});

/** What a listing has found counts for nothing. */
const unreconciled: Seams = receiving('strike', (def, state: Anything, message, ctx) => {
  if (message.type !== 'filesListed' || state === undefined) return def.receive(state, message, ctx);
  return def.receive(state, { ...message, page: { ...message.page, files: [] } } as never, ctx);
});

/** Jobs inside recipes are not found, and nothing that they made. */
const withoutGrandchildren: Seams = {
  prepared: ({ tables }) => {
    tables.purgeJobs.insert = () => false;
  },
};

/** Notifications are done with when the strike has heard of them, whatever becomes of their objects. */
const notifiedEarly = receiving('strike', (def, state, message, ctx) => {
  const outcome = def.receive(state, message, ctx);
  if (message.type !== 'notified' || state === undefined || ctx.replyTo === undefined) return outcome;
  return { ...outcome, effects: [reply(ctx.replyTo as ReplyTo<object>, { files: 0 }), ...outcome.effects] };
});

/** They say that they have nothing more to do with what is purged, and keep it. */
const keeping: Seams = {
  actors: (actors) =>
    actors.map((def) => ({
      ...def,
      receive: (state, message, ctx) =>
        message.type === 'forget' && state !== undefined && ctx.replyTo !== undefined
          ? stay(state, reply(ctx.replyTo as ReplyTo<object>, {}))
          : def.receive(state, message, ctx),
    })),
};

export const STANDING: readonly Mutant[] = [
  { bug: 'no sweep of batches', seams: withoutReconcile('batch'), from: 10 },
  { bug: 'no sweep of purges', seams: withoutReconcile('purge'), from: 13 },
  { bug: 'a page of a scan is settled twice', seams: pageTwice, from: 9 },
  {
    bug: 'the cursor of a scan is not saved',
    seams: saving((change) => {
      if (change.type !== 'editScan') return [change];
      const { cursor: _, ...patch } = change.patch;
      return [{ ...change, patch }];
    }),
    from: 1,
  },
  { bug: 'listings of buckets reconcile nothing', seams: unreconciled, from: 17 },
  {
    bug: 'some recipes of a batch are not marked as its own',
    seams: saving((change) =>
      change.type === 'createRecipes' &&
      change.recipes.some((one) => one.batchMemberId != null && one.id % 3 === 0)
        ? [
            {
              ...change,
              recipes: change.recipes.map((one) => ({ ...one, batchId: null, batchMemberId: null })),
            },
          ]
        : [change],
    ),
    from: 1,
  },
  {
    bug: 'the first member of each page is passed over',
    seams: answering('batch', 'batchPage', (page) => ({ ...page, members: page.members.slice(1) })),
    from: 5,
  },
  {
    bug: 'recipes that are reprocessed stay current',
    seams: saving((change) => (change.type === 'supersedeRecipes' ? [] : [change])),
    from: 1,
  },
  {
    bug: 'jobs that are carried over do not count in the new recipe',
    seams: saving((change) => (change.type === 'shareJobs' ? [] : [change])),
    from: 5,
  },
  {
    bug: 'jobs that are carried over live on in no batch',
    seams: saving((change) =>
      change.type === 'shareJobs'
        ? [{ ...change, jobs: change.jobs.map((job) => ({ ...job, liveBatchId: null })) }]
        : [change],
    ),
    from: 5,
  },
  { bug: 'notifications are done with before their objects are recorded', seams: notifiedEarly, from: 4 },
  { bug: 'owners keep what is purged', seams: keeping, from: 89 },
  {
    bug: 'owners that do not answer a batch are not asked again',
    seams: answering('batch', 'reprocessRecipes', (report) => ({ ...report, failedCount: 0 })),
    from: 71,
  },
  { bug: 'a purge forgets grandchildren', seams: withoutGrandchildren, from: 1 },
  {
    bug: 'a purge takes bytes for gone that no node removed',
    seams: { purgeRows: (rows) => ({ ...rows, waitingFiles: async () => undefined }) },
    from: 1,
  },
];
