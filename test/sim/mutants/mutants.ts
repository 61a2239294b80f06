/** Seeded bugs that the simulation must find, were they in the system, each with a seed from which on it is found. */
import type { Change } from '../../../src/domain/changes.ts';
import { call } from '../../../src/kernel/mod.ts';
import type { Seams } from '../coordinator/coordinator.ts';
import { NODES, WORKSPACE } from '../scenario.ts';
import { BOOTS } from './mutants-of-boots.ts';
import { BURSTS } from './mutants-of-bursts.ts';
import { CHANGES } from './mutants-of-changes.ts';
import { CLOCKS } from './mutants-of-clocks.ts';
import { JOB_REQUESTS } from './mutants-of-job-requests.ts';
import { KEYS } from './mutants-of-keys.ts';
import { STANDING } from './mutants-of-monitors.ts';
import { PLACEMENTS } from './mutants-of-placements.ts';
import { STARTS } from './mutants-of-starts.ts';
import {
  type Anything,
  answering,
  deaf,
  effects,
  type Mutant,
  receiving,
  saving,
  tellingEarly,
  turning,
  withoutPoll,
  withoutReconcile,
} from './seams.ts';

const ALL_WORKSPACES = Object.values(WORKSPACE);

/** Nothing of these types is saved. */
function unsaved(...types: readonly Change['type'][]): Seams {
  return saving((change) => (types.includes(change.type) ? [] : [change]));
}

/** Reports of executions that a job continued without count as those of its current one. */
const staleCounts = receiving('recipe', (def, state: Anything, message, ctx) => {
  if (message.type !== 'taskEnded' || state === undefined) return def.receive(state, message, ctx);
  const results = message.results.map((one: Anything) => {
    const job = state.progress.tree.jobs.get(one.result.jobId);
    return { ...one, result: { ...one.result, exeNum: job?.exeNum ?? one.result.exeNum } };
  });
  return def.receive(state, { ...message, results } as never, ctx);
});

/** The node acknowledges what it has only heard of. */
const ackedUnsaved = receiving('node', (def, state: Anything, message, ctx) => {
  const outcome = def.receive(state, message, ctx);
  if (message.type !== 'taskUpdates' && message.type !== 'ingestUpdates') return outcome;
  const spoolIds = message.updates.map((one: Anything) => one.spoolId);
  const ack = { type: 'ack', spoolIds, discardExecutionIds: [] };
  const args = { sessionId: message.sessionId, messages: [ack] };
  const outcomes = { done: 'messagesSent', failed: 'sendFailed', about: { sessionId: '' } } as const;
  const sent = call('send', args, { ...outcomes, evenIfReloaded: true });
  return { ...outcome, effects: [...outcome.effects, sent] };
});

/** A hello of any agent is taken for that of the one that is known. */
const rivalsWelcome = receiving('node', (def, state: Anything, message, ctx) => {
  if (message.type !== 'hello' || state === undefined || state.agentId === null)
    return def.receive(state, message, ctx);
  const hello = { ...message.hello, agentId: state.agentId };
  return def.receive(state, { ...message, hello } as never, ctx);
});

const untimely = (kind: string, ...names: readonly string[]): Seams =>
  effects(kind, (effect) => (effect.type === 'timer' && names.includes(effect.name) ? [] : [effect]));

const undelivered = (kind: string, ...types: readonly string[]): Seams =>
  effects(kind, (effect) =>
    effect.type === 'tell' && types.includes((effect.message as Anything).type) ? [] : [effect],
  );

let lastIdentity = 0;

const OF_JOBS: readonly Mutant[] = [
  { bug: 'no sweep of nodes', seams: withoutReconcile('node'), from: 21 },
  { bug: 'no sweep of strikes', seams: withoutReconcile('strike'), from: 1 },
  { bug: 'no sweep of recipes', seams: withoutReconcile('recipe'), from: 5 },
  { bug: 'no sweep of jobs', seams: withoutReconcile('job'), from: 1 },
  { bug: 'no sweep of scans', seams: withoutReconcile('scan'), from: 7 },
  { bug: 'the scheduler never reads rows again', seams: untimely('scheduler', 'resync'), from: 14 },
  {
    bug: 'commits are not fenced',
    // Read when the statement runs, not when it leaves.
    seams: turning(({ shard, changes }, epochOf) => ({
      shard,
      changes,
      get epoch() {
        return epochOf(shard);
      },
    })),
    from: 5,
  },
  {
    bug: 'rows are read again while an unheard commit may still be saved',
    seams: { options: (options) => ({ ...options, apply: { apply: options.apply.apply } }) },
    from: 10,
  },
  { bug: 'recipes tell before they save', seams: tellingEarly('recipe'), from: 4 },
  {
    bug: 'owners do not tell what they committed',
    seams: undelivered('recipe', 'resultsCommitted'),
    from: 1,
  },
  { bug: 'ends of ingests are not acknowledged', seams: undelivered('strike', 'resultsCommitted'), from: 1 },
  { bug: 'arrivals are not acknowledged', seams: undelivered('strike', 'filesCommitted'), from: 6 },
  { bug: 'reports are acknowledged before they are saved', seams: ackedUnsaved, from: 6 },
  { bug: 'a silent node is never given up', seams: withoutPoll('node'), from: 2 },
  { bug: 'any agent may speak for a node', seams: rivalsWelcome, from: 17 },
  { bug: 'reports of executions that do not count do', seams: staleCounts, from: 34 },
  {
    bug: 'files that are known are recorded again',
    seams: saving((change) => {
      if (change.type !== 'recordArrivals') return [change];
      const arrivals = change.arrivals.map((one) => {
        lastIdentity += 1;
        return one.identity === null ? one : { ...one, identity: `${one.identity}/${lastIdentity}` };
      });
      return [{ ...change, arrivals }];
    }),
    from: 1,
  },
  {
    bug: 'what is registered at a path is not looked up',
    seams: answering('strike', 'ingestFacts', (facts) => ({ ...facts, sources: [] })),
    from: 21,
  },
  { bug: 'claims whose marker cannot be written are kept', seams: unsaved('releaseClaims'), from: 26 },
  { bug: 'files that are replaced stay current', seams: unsaved('supersedeFiles'), from: 21 },
  {
    bug: 'the scheduler takes all workspaces for reachable',
    seams: answering('scheduler', 'loadScheduler', (snapshot) => ({
      ...snapshot,
      nodes: snapshot.nodes.map((node: Anything) => ({ ...node, workspaceIds: ALL_WORKSPACES })),
    })),
    from: 3,
  },
  {
    bug: 'the scheduler forgets what runs',
    seams: answering('scheduler', 'loadScheduler', (snapshot) => ({ ...snapshot, running: [] })),
    from: 1,
  },
  {
    bug: 'any node may watch and ingest',
    seams: answering('strike', 'nodesReaching', () => [...NODES]),
    from: 1,
  },
  {
    bug: 'products that count are removed as void',
    seams: effects('recipe', (effect) => {
      if (effect.type !== 'tell' || (effect.message as Anything).type !== 'resultsCommitted') return [effect];
      const items = (effect.message as Anything).items.map((one: Anything) => ({ ...one, isVoid: true }));
      return [{ ...effect, message: { ...effect.message, items } }];
    }),
    from: 1,
  },
  {
    bug: 'recipes that contain others are not told of their end',
    seams: saving((change) =>
      change.type === 'completeRecipes'
        ? [{ ...change, recipes: change.recipes.map((one) => ({ ...one, ancestorIds: [] })) }]
        : [change],
    ),
    from: 1,
  },
  { bug: 'classes of queued jobs are not kept', seams: unsaved('ensureClasses'), from: 1 },
  {
    bug: 'executions of canceled jobs do not end',
    seams: saving((change) =>
      change.type === 'endExecutions'
        ? [{ ...change, ends: change.ends.filter((end) => end.status !== 'CANCELED') }]
        : [change],
    ),
    from: 1,
  },
  { bug: 'what an agent has lost is not ordered again', seams: deaf('strike', 'workMissing'), from: 4 },
  {
    bug: 'recipes forget which file they are for',
    seams: saving((change) =>
      change.type === 'createRecipes'
        ? [{ ...change, recipes: change.recipes.map((one) => ({ ...one, ingestId: null })) }]
        : [change],
    ),
    from: 1,
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...OF_JOBS,
  ...STANDING,
  ...JOB_REQUESTS,
  ...PLACEMENTS,
  ...CLOCKS,
  ...STARTS,
  ...KEYS,
  ...CHANGES,
  ...BURSTS,
  ...BOOTS,
];
