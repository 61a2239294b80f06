/**
 * The owner of a batch: makes its recipes page by page. Recipes that did the same before are reprocessed by the owners
 * of their chains; the others are made here, in one turn with the move of the cursor. So every member has one recipe
 * after any crash: what a repeated page finds done it leaves alone. Between pages others have their turn.
 *
 * poll: the sweep wakes every batch that is not done.
 */
import type { BatchPage, BatchRun } from '../../domain/batch/batch.ts';
import type { Change } from '../../domain/changes.ts';
import { type StartedRecipe, startRecipe } from '../../domain/recipe/start-recipe.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  call,
  defineActor,
  type Effect,
  type Outcome,
  reply,
  save,
  shardOf,
  stay,
  stop,
  tell,
  timer,
} from '../../kernel/mod.ts';
import { keepAnswer } from '../keyed-answer.ts';
import { recipeAddress } from '../recipe/recipe.messages.ts';
import { FROM_ITS_ROW, wakeDue } from '../standing-work.ts';
import { announceQueued } from '../task-results.ts';
import type { BatchMessage } from './batch.messages.ts';
import type { BatchPorts, ReprocessOrder, ReprocessReport } from './batch.ports.ts';

const PAUSE_MS = 5;
const RETRY_MS = 2_000;

interface Cell {
  readonly run: BatchRun;
  /** A page is under way. */
  readonly isBusy: boolean;
}

/** `from`: where the cursor was when it was asked. */
type Tag =
  | { readonly about: 'page'; readonly from: number }
  | { readonly about: 'reprocess'; readonly from: number; readonly page: BatchPage };
type Inbox =
  | BatchMessage
  | { readonly type: 'again' }
  | Called<Tag, BatchPage | ReprocessReport>
  | CallFailed<Tag>;

export const batchActor = defineActor<Cell, Inbox, BatchPorts, Change>({
  kind: 'batch',
  mailboxMax: 100,
  idleMs: 10_000,
  turnMax: 1,
  supervise: FROM_ITS_ROW,
  sweep: wakeDue(10_000, (ports, shards) => ports.dueBatches(shards)),
  async load(keys, ports) {
    const runs = await ports.loadBatches(keys.map(Number));
    return new Map([...runs].map(([id, run]) => [String(id), { run, isBusy: false }]));
  },
  receive(cell, message, ctx) {
    if (message.type === 'begin') return begin(cell, message, ctx);
    return cell === undefined ? stay<Cell, Change>(cell) : receive(cell, message, ctx);
  },
});

function begin(
  cell: Cell | undefined,
  { event, batch, answer }: Extract<BatchMessage, { type: 'begin' }>,
  ctx: Ctx,
): Outcome<Cell, Change> {
  const effects: Effect<Change>[] = [];
  if (cell === undefined) {
    const { supersededBatchId: batchId } = batch;
    effects.push(save({ type: 'createEvents', events: [event] }));
    if (batchId !== null) {
      effects.push(save({ type: 'supersedeBatches', batches: [{ batchId, atMs: ctx.nowMs }] }));
    }
    effects.push(save({ type: 'createBatches', batches: [batch] }), ...keepAnswer({ answer }));
  }
  if (ctx.replyTo !== undefined) effects.push(reply(ctx.replyTo, {}));
  // The next mail loads the row together with the plan of its recipes.
  effects.push(tell(ctx.self, { type: 'wake' }), stop());
  return stay(cell, ...effects);
}

function receive(cell: Cell, message: Exclude<Inbox, { type: 'begin' }>, ctx: Ctx): Outcome<Cell, Change> {
  switch (message.type) {
    case 'wake':
      return cell.isBusy ? stay<Cell, Change>(cell) : next(cell);
    case 'again':
      return next(cell);
    case 'edit':
      return edit(cell, message.patch, ctx);
    case 'called': {
      // Asked before the owner was loaded again, and made by another answer since.
      if (message.tag.from !== cell.run.cursor || cell.run.isDone) return stay<Cell, Change>(cell);
      if (message.tag.about === 'page') return reprocessSome(cell, message.result as BatchPage, ctx);
      const report = message.result as ReprocessReport;
      // Read again from the same cursor, the page lacks what is done.
      if (report.failedCount > 0) return stay<Cell, Change>(cell, again(RETRY_MS));
      return makeSome(cell, message.tag.page, new Set(report.refused), ctx);
    }
    case 'callFailed':
      ctx.count('batch_page_failed');
      return stay<Cell, Change>(cell, again(RETRY_MS));
  }
}

function again(afterMs: number): Effect<never> {
  return timer('again', afterMs, { type: 'again' });
}

function next(cell: Cell): Outcome<Cell, Change> {
  if (cell.run.isDone) return stay<Cell, Change>(cell, stop());
  return stay(
    { ...cell, isBusy: true },
    call('batchPage', cell.run, { about: 'page', from: cell.run.cursor } satisfies Tag),
  );
}

function edit(
  cell: Cell,
  patch: Extract<BatchMessage, { type: 'edit' }>['patch'],
  ctx: Ctx,
): Outcome<Cell, Change> {
  const { run } = cell;
  const edited = { ...cell, run: { ...run, configuration: patch.configuration ?? run.configuration } };
  const saved = save<Change>({ type: 'editBatch', batchId: run.id, patch, atMs: ctx.nowMs });
  return stay(edited, saved, ...(ctx.replyTo === undefined ? [] : [reply(ctx.replyTo, {})]));
}

/** Recipes that are reprocessed come first: their owners are asked. */
function reprocessSome(cell: Cell, page: BatchPage, ctx: Ctx): Outcome<Cell, Change> {
  const { run } = cell;
  const orders = page.members.flatMap(({ id, old }): ReprocessOrder[] => {
    if (old === null) return [];
    const message = {
      type: 'reprocess',
      oldRecipeId: old.recipeId,
      recipeId: ctx.newId('recipe'),
      recipeTypeRevId: run.plan.recipeTypeRevId,
      forced: run.forced,
      ...{ eventId: run.eventId, event: null, batchId: run.id },
      batchMemberId: run.source.kind === 'dataset' ? id : null,
      batchPriority: run.configuration.priority ?? null,
    } as const;
    return [{ memberId: id, chainId: old.chainId, message }];
  });
  if (orders.length === 0) return makeSome(cell, page, new Set(), ctx);
  return stay<Cell, Change>(
    cell,
    call('reprocessRecipes', orders, { about: 'reprocess', from: run.cursor, page } satisfies Tag),
  );
}

/** The rest of the page is made. A member whose recipe cannot be reprocessed gets one that supersedes nothing. */
function makeSome(
  cell: Cell,
  page: BatchPage,
  refused: ReadonlySet<number>,
  ctx: Ctx,
): Outcome<Cell, Change> {
  const { run } = cell;
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
    const made = startRecipe(run.plan, request, { ...around, newId: (kind) => ctx.newId(kind) });
    started.push(made);
    // poll: recipes with conditions that wait are found by the sweep of recipes.
    if (made.needsWake) wakes.push(tell(recipeAddress(recipeId), { type: 'wake' }));
  }
  const { to, isLast: isDone } = page;
  const { id: batchId, cursor: from } = run;
  return stay<Cell, Change>(
    { run: { ...run, cursor: to, isDone }, isBusy: !isDone },
    ...started.flatMap((one) => one.changes).map((change) => save(change)),
    save({ type: 'advanceBatch', batchId, from, to, skipped, isDone, atMs: ctx.nowMs }),
    ...announceQueued(started.flatMap((one) => one.queued)),
    ...wakes,
    isDone ? stop() : again(PAUSE_MS),
  );
}
