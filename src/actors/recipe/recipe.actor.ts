/**
 * The owner of a recipe, all recipes below it and all their jobs: the only writer of those rows. Decisions are made in
 * domain/recipe (`tree-events.ts`, `advance.ts`) and turned into effects here.
 *
 * poll: the first turn after each load evaluates the whole tree, and a reconciliation loads trees that no message would
 * load.
 */

import type { Change } from '../../domain/changes.ts';
import { advance } from '../../domain/recipe/advance.ts';
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import { TreeChanges, TreeProgress } from '../../domain/recipe/tree-changes.ts';
import {
  askAgain,
  cancelJobs,
  requeueJobs,
  settleConditions,
  settleResults,
} from '../../domain/recipe/tree-events.ts';
import { type Ctx, defineActor, type Outcome, refuse, stay, stop } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { answer, deferUntilReload } from '../defer-until-reload.ts';
import { stampJobs } from '../job-request/stamps.ts';
import { asksForNewest, type Forget } from '../owner.messages.ts';
import { FROM_ITS_ROW, wakeDue } from '../periodic-reconcile.ts';
import { acknowledge, fallbackForReports, killStale, voidAll } from '../task-results.ts';
import type { RecipeMessage } from './recipe.messages.ts';
import type { RecipePorts } from './recipe.ports.ts';
import { beginReprocess, endReprocess } from './reprocessing.ts';
import { answerStart, beginStart, endStart, lackingFile } from './starting.ts';
import {
  effectsOf,
  effectsOfStop,
  lookUpExecutions,
  type RecipeEffect,
  type RecipeReturn,
  retryConditions,
  retryLookUp,
  type StartReturn,
} from './tree-effects.ts';

/**
 * Types may be edited while trees are in memory, so a tree older than this is loaded again; before a requeue, one older
 * than a second.
 */
const PLANS_AGE_MAX_MS = 300_000;
const REQUEUE_AGE_MAX_MS = 1_000;

/** The statuses of stopped jobs, whose last execution may still run; for other jobs only earlier executions may. */
const IS_STOPPED: ReadonlySet<string> = new Set(['PENDING', 'BLOCKED', 'CANCELED']);

interface RecipeActorState {
  readonly progress: TreeProgress;
  loadedMs: number;
  /** Rows have data that is not in memory, so this state must make no more decisions. */
  isStale: boolean;
  /** Requests that wait for a revision: their activation must not be unloaded. */
  waiting: number;
}
type Inbox = RecipeMessage | RecipeReturn;
type RecipeOutcome = Outcome<RecipeActorState, Change, RecipeReturn>;

export const recipeActor = defineActor<RecipeActorState, Inbox, RecipePorts, Change>({
  kind: 'recipe',
  mailboxMax: 10_000,
  idleMs: 30_000,
  turnMax: 200,
  supervise: FROM_ITS_ROW,
  reconcile: wakeDue(30_000, (ports, shards, isTakenOver) => ports.dueRecipes(shards, isTakenOver)),
  async load(keys, ports) {
    const trees = await ports.loadRecipeTrees(keys.map(Number));
    return new Map([...trees].map(([id, tree]) => [String(id), stateOf(tree)]));
  },
  fallbackFor: (message) => (message.type === 'taskEnded' ? fallbackForReports(message) : undefined),
  start(state, ctx) {
    if (state === undefined) return stay(state);
    state.loadedMs = ctx.nowMs;
    const turn = new TreeChanges(state.progress, ctx);
    advance(turn);
    return stay(state, ...effectsOf(turn));
  },
  receive(state, message, ctx) {
    if (isStartReturn(message)) return started(state, message, ctx);
    if (state === undefined) return stay(state, ...withoutRows(message, ctx));
    if (message.type === 'forget') return stay(state, ...answer(message, ctx, {}), stop());
    const ageMaxMs = message.type === 'requeueJobs' ? REQUEUE_AGE_MAX_MS : PLANS_AGE_MAX_MS;
    state.isStale ||= hasElapsed(state.loadedMs, ageMaxMs, ctx.nowMs) && state.progress.evaluating.size === 0;
    if (asksForNewest(message)) {
      // Pending evaluations are finished first; the request is repeated then.
      const { jobIds } = message;
      if (state.progress.evaluating.size > 0)
        return stay(state, ...answer(message, ctx, { jobIds: [], openJobIds: jobIds }));
      state.isStale = true;
      return stay(state, ...deferUntilReload({ ...message, isReloaded: true }, ctx));
    }
    if (state.isStale) return stay(state, ...deferUntilReload(requestOf(message), ctx));
    return continueWork(state, receive(state, message, ctx));
  },
});

function stateOf(tree: RecipeTree): RecipeActorState {
  return { progress: new TreeProgress(tree), loadedMs: 0, isStale: false, waiting: 0 };
}

/**
 * A complete tree does not change any more. Executions that are no longer their job's current one are looked up and
 * killed before it is unloaded.
 */
function continueWork(state: RecipeActorState, effects: readonly RecipeEffect[]): RecipeOutcome {
  const isWaiting = effects.some(({ type }) => type === 'call' || type === 'timer');
  const isOver = isComplete(state) && state.waiting === 0 && !isWaiting;
  return isOver ? stay(state, ...effects, stop()) : stay(state, ...effects);
}

function isStartReturn(message: Inbox): message is StartReturn {
  return message.type === 'startFactsRead' || message.type === 'startFactsFailed';
}

/** A repeated start returns the existing recipe. */
function started(state: RecipeActorState | undefined, message: StartReturn, ctx: Ctx): RecipeOutcome {
  const { about } = message;
  const { replyTo } = about;
  if (state !== undefined) return stay(state, ...answerStart(replyTo, {}));
  if (message.type === 'startFactsFailed')
    return stay(state, ...(replyTo === null ? [] : [refuse(replyTo, message.error)]));
  const lacking = lackingFile(about, message.result);
  if (lacking !== undefined) return stay(state, ...(replyTo === null ? [] : [refuse(replyTo, lacking)]));
  const { turn, effects } = endStart(about, message.result, ctx);
  return continueWork({ progress: turn.progress, loadedMs: ctx.nowMs, isStale: false, waiting: 0 }, effects);
}

/** The revision was requested by an earlier state; this one does not wait for it. */
function noteAnswered(
  state: RecipeActorState,
  { isStale }: Extract<Inbox, { type: 'recipeRevisionRead' | 'recipeRevisionFailed' }>,
): void {
  if (isStale !== true) state.waiting -= 1;
}

function isComplete({ progress: { tree } }: RecipeActorState): boolean {
  return tree.recipes.get(tree.rootId)?.isCompleted === true;
}

function receive(
  state: RecipeActorState,
  message: Exclude<Inbox, Forget | StartReturn>,
  ctx: Ctx<Inbox>,
): readonly RecipeEffect[] {
  const turn = new TreeChanges(state.progress, ctx);
  switch (message.type) {
    case 'start':
      return answer(message, ctx, {});
    case 'wake':
      return lookUpExecutions(leftBehind(state));
    case 'taskEnded': {
      const settled = settleResults(
        turn,
        message.results.map(({ result }) => result),
      );
      state.isStale = settled.isStale;
      const voids = new Set(settled.results.flatMap((one) => (one.isVoid ? [one.executionId] : [])));
      const reload = settled.isStale ? deferUntilReload({ type: 'wake' } as const, ctx) : [];
      return [...effectsOf(turn), ...acknowledge(message.results, voids), ...reload];
    }
    case 'cancelJobs': {
      const stopped = cancelJobs(turn, message);
      const stamps = stampStopped(turn.tree, stopped.jobIds, message.position);
      return [
        ...effectsOfStop(turn, stopped),
        ...stamps,
        ...answer(message, ctx, { jobIds: stopped.jobIds }),
      ];
    }
    case 'requeueJobs': {
      const stopped = requeueJobs(turn, message);
      const stamps = stampStopped(turn.tree, stopped.jobIds, message.position);
      return [
        ...effectsOfStop(turn, stopped),
        ...stamps,
        ...answer(message, ctx, { jobIds: stopped.jobIds }),
      ];
    }
    case 'reprocess': {
      const effects = beginReprocess(turn.tree, message, ctx);
      if (effects.some((effect) => effect.type === 'call')) state.waiting += 1;
      return effects;
    }
    case 'recipeRevisionRead':
      noteAnswered(state, message);
      return endReprocess(turn, message.about, message.result);
    case 'recipeRevisionFailed': {
      noteAnswered(state, message);
      const { replyTo } = message.about;
      return replyTo === null ? [] : [refuse(replyTo, message.error)];
    }
    case 'executionsRead':
      return killStale(message.result, (id) => turn.tree.jobs.get(id));
    case 'runningExecutionsFailed':
      return [retryLookUp(message.about)];
    case 'executionsDue':
      return lookUpExecutions(message.jobIds);
    case 'conditionsEvaluated':
      settleConditions(turn, message.result);
      return effectsOf(turn);
    case 'evaluateConditionsFailed':
      return [retryConditions(message.about)];
    case 'conditionsDue':
      askAgain(turn, message.conditionIds);
      return effectsOf(turn);
  }
}

function stampStopped(
  { jobs }: RecipeTree,
  jobIds: readonly number[],
  position: number | undefined,
): RecipeEffect[] {
  return stampJobs(
    jobIds.flatMap((id) => jobs.get(id) ?? []),
    position,
  );
}

/** The request that a deferred message stands for: once its revision is known, the request is made again. */
function requestOf(message: Exclude<Inbox, Forget | StartReturn>): Exclude<Inbox, Forget | StartReturn> {
  if (message.type !== 'recipeRevisionRead' && message.type !== 'recipeRevisionFailed') return message;
  const { request, replyTo } = message.about;
  return replyTo === null ? request : { ...request, replyTo };
}

/** Jobs with possibly running executions that are not their current one: stopped jobs, and those requeued since. */
function leftBehind(state: RecipeActorState): number[] {
  const jobs = [...state.progress.tree.jobs.values()];
  return jobs.filter(({ status, exeNum }) => exeNum > (IS_STOPPED.has(status) ? 0 : 1)).map((job) => job.id);
}

/** Handles a message for a recipe without rows: it is created now, or was removed. */
function withoutRows(message: Exclude<Inbox, StartReturn>, ctx: Ctx): RecipeEffect[] {
  switch (message.type) {
    case 'start':
      return beginStart(message, ctx);
    case 'taskEnded':
      return voidAll(message.results, ctx.nowMs);
    case 'cancelJobs':
    case 'requeueJobs':
      return answer(message, ctx, { jobIds: [] });
    case 'reprocess': {
      const description = `there is no recipe ${message.oldRecipeId}`;
      const gone = { problem: { name: 'NOT_FOUND', path: '', description }, isConflict: true };
      return answer(message, ctx, gone);
    }
    case 'forget':
      return answer(message, ctx, {});
    default:
      return [];
  }
}
