/** The changes of one message to a recipe tree as effects: saves, announcements, calls. */
import type { Change } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { TreeChanges } from '../../domain/recipe/tree-changes.ts';
import type { ConditionAnswer, Stopped } from '../../domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import {
  call,
  type Done,
  type Effect,
  type Failed,
  portsOf,
  type ReplyTo,
  save,
  timer,
} from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';
import { announceQueued, type OwnedExecution } from '../task-results.ts';
import type { Reprocess, ReprocessAnswer, StartAnswer } from './recipe.messages.ts';
import type { RecipePorts, StartFacts } from './recipe.ports.ts';

/** A start that waits for its facts. */
export interface StartContext extends Keyed {
  readonly event: NewEvent;
  readonly recipe: NewRecipe;
  readonly replyTo: ReplyTo<StartAnswer> | null;
}

/** A reprocessing that waits for its revision. */
export interface ReprocessContext {
  readonly request: Reprocess;
  readonly replyTo: ReplyTo<ReprocessAnswer> | null;
}

/** Outcomes of the recipe actor's calls and timers. `about` of the first two: the ids in the call. */
export type RecipeReturn =
  | Done<'conditionsEvaluated', readonly ConditionAnswer[], readonly number[]>
  | Failed<'evaluateConditionsFailed', readonly number[]>
  | Done<'executionsRead', readonly OwnedExecution[], readonly number[]>
  | Failed<'runningExecutionsFailed', readonly number[]>
  | Done<'recipeRevisionRead', RecipeTypeRevision | null, ReprocessContext>
  | Failed<'recipeRevisionFailed', ReprocessContext>
  | StartReturn
  | { readonly type: 'conditionsDue'; readonly conditionIds: readonly number[] }
  | { readonly type: 'executionsDue'; readonly jobIds: readonly number[] };

/** The outcome of the call of a start. */
export type StartReturn =
  | Done<'startFactsRead', StartFacts, StartContext>
  | Failed<'startFactsFailed', StartContext>;

export type RecipeEffect = Effect<Change, RecipeReturn>;

export const recipePorts = portsOf<RecipePorts>();

const RETRY_MS = 5_000;
/** limit: conditions in one call; jobs in one look-up. */
const ASKS_MAX = 100;
const LOOKUPS_MAX = 1_000;

export function effectsOf(turn: TreeChanges, announce = announceQueued): RecipeEffect[] {
  const effects: RecipeEffect[] = turn.toChanges().map((change) => save(change));
  effects.push(...announce(turn.queued));
  const outcomes = {
    done: 'conditionsEvaluated',
    failed: 'evaluateConditionsFailed',
    evenIfReloaded: true,
  } as const;
  for (let at = 0; at < turn.asks.length; at += ASKS_MAX) {
    const asks = turn.asks.slice(at, at + ASKS_MAX);
    const about = asks.map((ask) => ask.conditionId);
    effects.push(call(recipePorts.evaluateConditions, asks, { ...outcomes, about }));
  }
  return effects;
}

export function effectsOfStop(turn: TreeChanges, stopped: Stopped): RecipeEffect[] {
  return [...effectsOf(turn), ...lookUpExecutions(stopped.liveJobIds)];
}

/** Looks up which executions of these jobs are running, so that they can be killed. */
export function lookUpExecutions(jobIds: readonly number[]): RecipeEffect[] {
  const effects: RecipeEffect[] = [];
  const outcomes = {
    done: 'executionsRead',
    failed: 'runningExecutionsFailed',
    evenIfReloaded: true,
  } as const;
  for (let at = 0; at < jobIds.length; at += LOOKUPS_MAX) {
    const some = jobIds.slice(at, at + LOOKUPS_MAX);
    effects.push(call(recipePorts.runningExecutions, some, { ...outcomes, about: some }));
  }
  return effects;
}

/** Repeats the call for conditions that could not be evaluated, a little later. */
export function retryConditions(conditionIds: readonly number[]): RecipeEffect {
  return timer(`conditions-${conditionIds[0]}`, RETRY_MS, { type: 'conditionsDue', conditionIds });
}

/** Repeats a look-up of executions that failed, a little later. */
export function retryLookUp(jobIds: readonly number[]): RecipeEffect {
  return timer(`executions-${jobIds[0]}`, RETRY_MS, { type: 'executionsDue', jobIds });
}
