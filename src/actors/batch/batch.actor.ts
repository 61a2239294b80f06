/**
 * The owner of a batch: creates its recipes page by page. Current recipes with the same input are reprocessed by the
 * owners of their chains; the others are created here, in one turn with the move of the cursor. After any crash every
 * member therefore has one recipe, because a repeated page skips what is done. Other work runs between pages.
 *
 * poll: the reconciliation wakes every batch that is not done.
 */
import type { BatchPage, BatchRun } from '../../domain/batch/batch.ts';
import type { Change } from '../../domain/changes.ts';
import { type StartedRecipe, startRecipe } from '../../domain/recipe/start-recipe.ts';
import {
  type Ctx,
  call,
  type Done,
  defineActor,
  type Effect,
  type Failed,
  type Outcome,
  portsOf,
  save,
  shardOf,
  stay,
  stop,
  tell,
  timer,
} from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { keepAnswer } from '../keyed-answer.ts';
import { FROM_ITS_ROW, wakeDue } from '../periodic-reconcile.ts';
import { recipeAddress } from '../recipe/recipe.messages.ts';
import { announceQueued } from '../task-results.ts';
import type { BatchMessage } from './batch.messages.ts';
import type { BatchPorts, ReprocessOrder, ReprocessReport } from './batch.ports.ts';

const PAUSE_MS = 5;
const RETRY_MS = 2_000;

interface BatchState {
  readonly run: BatchRun;
  /** Whether a page is in progress. */
  readonly isBusy: boolean;
}

/** `from`: the cursor at the time of the read. */
interface PageContext {
  readonly from: number;
}
interface RecipesContext extends PageContext {
  readonly page: BatchPage;
}
type Inbox =
  | BatchMessage
  | { readonly type: 'again' }
  | Done<'pageRead', BatchPage, PageContext>
  | Failed<'batchPageFailed', PageContext>
  | Done<'recipesReprocessed', ReprocessReport, RecipesContext>
  | Failed<'reprocessRecipesFailed', RecipesContext>;
type BatchEffect = Effect<Change, Inbox>;
type BatchOutcome = Outcome<BatchState, Change, Inbox>;

const { batchPage, reprocessRecipes } = portsOf<BatchPorts>();

export const batchActor = defineActor<BatchState, Inbox, BatchPorts, Change>({
  kind: 'batch',
  mailboxMax: 100,
  idleMs: 10_000,
  turnMax: 1,
  supervise: FROM_ITS_ROW,
  reconcile: wakeDue(10_000, (ports, shards) => ports.dueBatches(shards)),
  async load(keys, ports) {
    const runs = await ports.loadBatches(keys.map(Number));
    return new Map([...runs].map(([id, run]) => [String(id), { run, isBusy: false }]));
  },
  receive(state, message, ctx) {
    if (message.type === 'begin') return begin(state, message, ctx);
    return state === undefined ? stay(state) : receive(state, message, ctx);
  },
});

function begin(
  state: BatchState | undefined,
  message: Extract<BatchMessage, { type: 'begin' }>,
  ctx: Ctx<Inbox>,
): BatchOutcome {
  const { event, batch } = message;
  const effects: BatchEffect[] = [];
  if (state === undefined) {
    const { supersededBatchId: batchId } = batch;
    effects.push(save({ type: 'createEvents', events: [event] }));
    if (batchId !== null) {
      effects.push(save({ type: 'supersedeBatches', batches: [{ batchId, atMs: ctx.nowMs }] }));
    }
    effects.push(save({ type: 'createBatches', batches: [batch] }), ...keepAnswer(message));
  }
  // The next message loads the row together with the revision of its recipes.
  effects.push(...answer(message, ctx, {}), tell(ctx.self, { type: 'wake' }), stop());
  return stay(state, ...effects);
}

function receive(state: BatchState, message: Exclude<Inbox, { type: 'begin' }>, ctx: Ctx): BatchOutcome {
  switch (message.type) {
    case 'wake':
      return state.isBusy ? stay(state) : next(state);
    case 'again':
      return next(state);
    case 'edit':
      return edit(state, message, ctx);
    case 'pageRead':
      return isDoneSince(state, message.about) ? stay(state) : reprocessSome(state, message.result, ctx);
    case 'recipesReprocessed': {
      if (isDoneSince(state, message.about)) return stay(state);
      const { failedCount, refused } = message.result;
      // The page is read again from the same cursor; the read leaves out members that are done.
      if (failedCount > 0) return stay(state, again(RETRY_MS));
      return makeSome(state, message.about.page, new Set(refused), ctx);
    }
    case 'batchPageFailed':
    case 'reprocessRecipesFailed':
      return stay(state, again(RETRY_MS));
  }
}

/** Whether the page of an answer was completed after it was read: the cursor has moved, or the batch is done. */
function isDoneSince({ run }: BatchState, { from }: PageContext): boolean {
  return from !== run.cursor || run.isDone;
}

function again(afterMs: number): BatchEffect {
  return timer('again', afterMs, { type: 'again' });
}

function next(state: BatchState): BatchOutcome {
  if (state.run.isDone) return stay(state, stop());
  const about = { from: state.run.cursor };
  return stay(
    { ...state, isBusy: true },
    call(batchPage, state.run, { done: 'pageRead', failed: 'batchPageFailed', about, evenIfReloaded: true }),
  );
}

function edit(state: BatchState, message: Extract<BatchMessage, { type: 'edit' }>, ctx: Ctx): BatchOutcome {
  const { run } = state;
  const { patch } = message;
  const edited = { ...state, run: { ...run, configuration: patch.configuration ?? run.configuration } };
  const saved = save<Change>({ type: 'editBatch', batchId: run.id, patch, atMs: ctx.nowMs });
  return stay(edited, saved, ...answer(message, ctx, {}));
}

/** Reprocesses recipes of the page first, through their owners. */
function reprocessSome(state: BatchState, page: BatchPage, ctx: Ctx): BatchOutcome {
  const { run } = state;
  const orders = page.members.flatMap(({ id, old }): ReprocessOrder[] => {
    if (old === null) return [];
    const message = {
      type: 'reprocess',
      oldRecipeId: old.recipeId,
      recipeId: ctx.newId('recipe'),
      recipeTypeRevId: run.revision.recipeTypeRevId,
      forced: run.forced,
      ...{ eventId: run.eventId, event: null, batchId: run.id },
      batchMemberId: run.source.kind === 'dataset' ? id : null,
      batchPriority: run.configuration.priority ?? null,
    } as const;
    return [{ memberId: id, chainId: old.chainId, message }];
  });
  if (orders.length === 0) return makeSome(state, page, new Set(), ctx);
  const outcomes = {
    done: 'recipesReprocessed',
    failed: 'reprocessRecipesFailed',
    evenIfReloaded: true,
  } as const;
  return stay(state, call(reprocessRecipes, orders, { ...outcomes, about: { from: run.cursor, page } }));
}

/** Creates the other recipes of the page. A member whose recipe cannot be reprocessed gets one that supersedes none. */
function makeSome(state: BatchState, page: BatchPage, refused: ReadonlySet<number>, ctx: Ctx): BatchOutcome {
  const { run } = state;
  const files = new Map(page.files.map((file) => [file.id, file]));
  const started: StartedRecipe[] = [];
  const wakes: Effect<never>[] = [];
  let skipped = page.unfitCount;
  for (const { id, input, old } of page.members) {
    if (old !== null && !refused.has(id)) continue;
    if (input === null) {
      skipped += 1;
      continue;
    }
    const recipeId = ctx.newId('recipe');
    const request = {
      recipeId,
      shard: shardOf('recipe', String(recipeId)),
      ...{ eventId: run.eventId, batchId: run.id, batchMemberId: id, ingestId: null },
      batchPriority: run.configuration.priority ?? null,
      configuration: null,
      input,
    };
    const around = { files, workspaces: page.workspaces, nowMs: ctx.nowMs };
    const made = startRecipe(run.revision, request, { ...around, newId: (kind) => ctx.newId(kind) });
    started.push(made);
    // poll: the reconciliation of recipes finds recipes with waiting conditions.
    if (made.needsWake) wakes.push(tell(recipeAddress(recipeId), { type: 'wake' }));
  }
  const { to, isLast: isDone } = page;
  const { id: batchId, cursor: from } = run;
  return stay(
    { run: { ...run, cursor: to, isDone }, isBusy: !isDone },
    ...started.flatMap((one) => one.changes).map((change) => save(change)),
    save({ type: 'advanceBatch', batchId, from, to, skipped, isDone, atMs: ctx.nowMs }),
    ...announceQueued(started.flatMap((one) => one.queued)),
    ...wakes,
    isDone ? stop() : again(PAUSE_MS),
  );
}
