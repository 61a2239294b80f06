/** The changes of one message to a recipe tree as effects: saved, announced, asked about. */
import type { Change } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { TreeChanges } from '../../domain/recipe/tree-changes.ts';
import type { Stopped } from '../../domain/recipe/tree-events.ts';
import { call, type Effect, type ReplyTo, save, timer } from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';
import { announceQueued } from '../task-results.ts';
import type { Reprocess } from './recipe.messages.ts';

/** What a call was about; its end brings it back. */
export type RecipeTag =
  | { readonly about: 'conditions'; readonly conditionIds: readonly number[] }
  | { readonly about: 'kills'; readonly jobIds: readonly number[] }
  | { readonly about: 'reprocess'; readonly request: Reprocess; readonly replyTo: ReplyTo | null }
  | (Keyed & {
      readonly about: 'start';
      readonly event: NewEvent;
      readonly recipe: NewRecipe;
      readonly replyTo: ReplyTo | null;
    });

/** Of calls that are made again when they fail: nobody waits for an answer. */
export type RetriedTag = Extract<RecipeTag, { about: 'conditions' | 'kills' }>;

const RETRY_MS = 5_000;
/** limit: conditions in one call; jobs in one look-up. */
const ASKS_MAX = 100;
const LOOKUPS_MAX = 1_000;

export function effectsOf(turn: TreeChanges): Effect<Change>[] {
  const effects: Effect<Change>[] = turn.toChanges().map((change) => save(change));
  effects.push(...announceQueued(turn.queued));
  for (let at = 0; at < turn.asks.length; at += ASKS_MAX) {
    const asks = turn.asks.slice(at, at + ASKS_MAX);
    const conditionIds = asks.map((ask) => ask.conditionId);
    effects.push(call('evaluateConditions', asks, { about: 'conditions', conditionIds } satisfies RecipeTag));
  }
  return effects;
}

export function effectsOfStop(turn: TreeChanges, stopped: Stopped): Effect<Change>[] {
  return [...effectsOf(turn), ...lookUpExecutions(stopped.liveJobIds)];
}

/** Finds out what of these jobs runs, so that it can be killed. */
export function lookUpExecutions(jobIds: readonly number[]): Effect<never>[] {
  const effects: Effect<never>[] = [];
  for (let at = 0; at < jobIds.length; at += LOOKUPS_MAX) {
    const some = jobIds.slice(at, at + LOOKUPS_MAX);
    effects.push(call('runningExecutions', some, { about: 'kills', jobIds: some } satisfies RecipeTag));
  }
  return effects;
}

/** A call failed: the same is tried again a little later. */
export function tryAgainLater(tag: RetriedTag): Effect<never> {
  const [first] = tag.about === 'kills' ? tag.jobIds : tag.conditionIds;
  return timer(`${tag.about}-${first}`, RETRY_MS, { type: 'callAgain', tag });
}
