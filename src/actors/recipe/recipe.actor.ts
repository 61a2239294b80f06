/**
 * The owner of a recipe, all recipes below it and all their jobs: the one writer of those rows. Decisions are in
 * domain/recipe (`tree-events.ts`, `advance.ts`); here they become effects.
 *
 * poll: the first turn after each load looks at the whole tree, and a sweep loads trees that nothing else would.
 */

import type { Change } from '../../domain/changes.ts';
import { advance } from '../../domain/recipe/advance.ts';
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import type { RecipePlan } from '../../domain/recipe/recipe-plan.ts';
import { progressOf, TreeChanges, type TreeProgress } from '../../domain/recipe/tree-changes.ts';
import {
  askAgain,
  type ConditionAnswer,
  cancelJobs,
  requeueJobs,
  settleConditions,
  settleResults,
} from '../../domain/recipe/tree-events.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  defineActor,
  type Effect,
  type Outcome,
  refuse,
  stay,
  stop,
} from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { stampJobs } from '../job-request/stamps.ts';
import type { Forget } from '../owner.messages.ts';
import { answer, later } from '../put-off.ts';
import { FROM_ITS_ROW, wakeDue } from '../standing-work.ts';
import { acknowledge, insteadOfReports, killStale, type OwnedExecution, voidAll } from '../task-results.ts';
import type { RecipeMessage, ReprocessAnswer } from './recipe.messages.ts';
import type { RecipePorts, StartFacts } from './recipe.ports.ts';
import { beginReprocess, endReprocess } from './reprocessing.ts';
import { answerStart, beginStart, endStart, type StartTag } from './starting.ts';
import {
  effectsOf,
  effectsOfStop,
  lookUpExecutions,
  type RecipeTag,
  type RetriedTag,
  tryAgainLater,
} from './tree-effects.ts';

/** Types are edited while trees are in memory: a tree this old is loaded again, before a requeue one of a second. */
const PLANS_AGE_MAX_MS = 300_000;
const REQUEUE_AGE_MAX_MS = 1_000;

/** Of jobs that were stopped the last execution may go on as well; of others only earlier ones. */
const IS_STOPPED: ReadonlySet<string> = new Set(['PENDING', 'BLOCKED', 'CANCELED']);

interface Cell {
  readonly progress: TreeProgress;
  loadedMs: number;
  /** Rows have what memory lacks: it must decide nothing more. */
  isStale: boolean;
  /** Requests that wait for a plan: their cell must not go. */
  waiting: number;
}
type Inbox =
  | RecipeMessage
  | { readonly type: 'callAgain'; readonly tag: RetriedTag }
  | Called<OwnTag>
  | CallFailed<OwnTag>
  | OfStart;
type OwnTag = Exclude<RecipeTag, StartTag>;
/** The end of the call that a start makes. */
type OfStart = Called<StartTag> | CallFailed<StartTag>;

export const recipeActor = defineActor<Cell, Inbox, RecipePorts, Change>({
  kind: 'recipe',
  mailboxMax: 10_000,
  idleMs: 30_000,
  turnMax: 200,
  supervise: FROM_ITS_ROW,
  sweep: wakeDue(30_000, (ports, shards, isTakenOver) => ports.dueRecipes(shards, isTakenOver)),
  async load(keys, ports) {
    const trees = await ports.loadRecipeTrees(keys.map(Number));
    return new Map([...trees].map(([id, tree]) => [String(id), cellOf(tree)]));
  },
  insteadOf: (message) => (message.type === 'taskEnded' ? insteadOfReports(message) : undefined),
  start(cell, ctx) {
    if (cell === undefined) return stay<Cell, Change>(cell);
    cell.loadedMs = ctx.nowMs;
    const turn = new TreeChanges(cell.progress, ctx);
    advance(turn);
    return stay(cell, ...effectsOf(turn));
  },
  receive(cell, message, ctx) {
    if (isOfStart(message)) return started(cell, message, ctx);
    if (cell === undefined) return stay<Cell, Change>(cell, ...withoutRows(message, ctx));
    if (message.type === 'forget') return stay(cell, ...answer({}, ctx, {}), stop());
    const ageMaxMs = message.type === 'requeueJobs' ? REQUEUE_AGE_MAX_MS : PLANS_AGE_MAX_MS;
    cell.isStale ||= hasElapsed(cell.loadedMs, ageMaxMs, ctx.nowMs) && cell.progress.asked.size === 0;
    if (cell.isStale) return stay(cell, ...later(requestOf(message), ctx));
    return goOn(cell, receive(cell, message, ctx));
  },
});

function cellOf(tree: RecipeTree): Cell {
  return { progress: progressOf(tree), loadedMs: 0, isStale: false, waiting: 0 };
}

/**
 * A complete tree changes no more: what still comes for it is late. An execution that its job went on without is looked
 * up and killed before.
 */
function goOn(cell: Cell, effects: readonly Effect<Change>[]): Outcome<Cell, Change> {
  const hasAsked = effects.some(({ type }) => type === 'call' || type === 'timer');
  const isOver = isComplete(cell) && cell.waiting === 0 && !hasAsked;
  return isOver ? stay(cell, ...effects, stop()) : stay(cell, ...effects);
}

function isOfStart(message: Inbox): message is OfStart {
  return (message.type === 'called' || message.type === 'callFailed') && message.tag.about === 'start';
}

/** A start that is repeated finds the recipe there. */
function started(cell: Cell | undefined, message: OfStart, ctx: Ctx): Outcome<Cell, Change> {
  const { tag } = message;
  if (cell !== undefined) return stay<Cell, Change>(cell, ...answerStart(tag.replyTo, {}));
  if (message.type === 'callFailed') {
    ctx.count('start_failed');
    return stay<Cell, Change>(cell, ...(tag.replyTo === null ? [] : [refuse(tag.replyTo, message.error)]));
  }
  const { turn, effects } = endStart(tag, message.result as StartFacts, ctx);
  return goOn({ progress: turn.progress, loadedMs: ctx.nowMs, isStale: false, waiting: 0 }, effects);
}

/** A turn that is worked again, on what was loaded anew, hears the answer to a question that this cell never asked. */
function answered(cell: Cell): void {
  cell.waiting = Math.max(0, cell.waiting - 1);
}

function isComplete({ progress: { tree } }: Cell): boolean {
  return tree.recipes.get(tree.rootId)?.isCompleted === true;
}

function receive(cell: Cell, message: Exclude<Inbox, Forget | OfStart>, ctx: Ctx): readonly Effect<Change>[] {
  const turn = new TreeChanges(cell.progress, ctx);
  switch (message.type) {
    case 'start':
      return answer({}, ctx, {});
    case 'wake':
      return lookUpExecutions(leftBehind(cell));
    case 'taskEnded': {
      const settled = settleResults(
        turn,
        message.results.map(({ result }) => result),
      );
      cell.isStale = settled.isStale;
      const voids = new Set(settled.results.flatMap((one) => (one.isVoid ? [one.executionId] : [])));
      const reload = settled.isStale ? later({ type: 'wake' }, ctx) : [];
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
      if (effects.some((effect) => effect.type === 'call')) cell.waiting += 1;
      return effects;
    }
    case 'called':
      if (message.tag.about === 'reprocess') {
        answered(cell);
        const { request, replyTo } = message.tag;
        return endReprocess(turn, request, replyTo, message.result as RecipePlan | null);
      }
      if (message.tag.about === 'kills') {
        return killStale(message.result as readonly OwnedExecution[], (id) => turn.tree.jobs.get(id));
      }
      settleConditions(turn, message.result as readonly ConditionAnswer[]);
      return effectsOf(turn);
    case 'callFailed':
      ctx.count(`${message.tag.about}_failed`);
      if (message.tag.about === 'reprocess') {
        answered(cell);
        return message.tag.replyTo === null ? [] : [refuse(message.tag.replyTo, message.error)];
      }
      return [tryAgainLater(message.tag)];
    case 'callAgain':
      if (message.tag.about === 'kills') return lookUpExecutions(message.tag.jobIds);
      askAgain(turn, message.tag.conditionIds);
      return effectsOf(turn);
  }
}

function stampStopped(
  { jobs }: RecipeTree,
  jobIds: readonly number[],
  position: number | undefined,
): Effect<Change>[] {
  return stampJobs(
    jobIds.flatMap((id) => jobs.get(id) ?? []),
    position,
  );
}

/** What a message that is put off comes back as: a request whose plan has come asks for it again. */
function requestOf(message: Exclude<Inbox, OfStart>): object {
  const isAnswer = message.type === 'called' || message.type === 'callFailed';
  if (!isAnswer || message.tag.about !== 'reprocess') return message;
  const { request, replyTo } = message.tag;
  return replyTo === null ? request : { ...request, replyTo };
}

/** Jobs of which an execution may go on that the job went on without: those stopped, and those queued again since. */
function leftBehind(cell: Cell): number[] {
  const jobs = [...cell.progress.tree.jobs.values()];
  return jobs.filter(({ status, exeNum }) => exeNum > (IS_STOPPED.has(status) ? 0 : 1)).map((job) => job.id);
}

/** Nothing is known of the recipe: it begins now, or is gone. */
function withoutRows(message: Exclude<Inbox, OfStart>, ctx: Ctx): Effect<Change>[] {
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
      return answer(message, ctx, gone satisfies ReprocessAnswer);
    }
    case 'forget':
      return answer({}, ctx, {});
    default:
      return [];
  }
}
