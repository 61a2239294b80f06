/**
 * One run of diagnostics: creates its recipes in chunks. Each chunk is one turn that also moves the run's count, so
 * that a run continues exactly where it was after any crash. Other work runs between chunks.
 *
 * poll: the reconciliation wakes every run that is not done.
 */
import type { Change } from '../../domain/changes.ts';
import type { DiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';
import type { QueuedEntry } from '../../domain/job/queueing.ts';
import { startRecipe } from '../../domain/recipe/start-recipe.ts';
import {
  type Ctx,
  defineActor,
  type Effect,
  type Outcome,
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
import { announceQueued } from '../task-results.ts';
import type { DiagnosticMessage } from './diagnostic.messages.ts';
import type { DiagnosticPorts } from './diagnostic.ports.ts';

/** Recipes of one turn. */
export const CHUNK = 200;
const PAUSE_MS = 5;

/** Diagnostics have no files and no workspaces. */
const NO_FILES = new Map<number, never>();
const NO_WORKSPACES = { byName: new Map<string, number>(), byUuid: new Map<string, number>() };

type DiagnosticOutcome = Outcome<DiagnosticRun, Change, DiagnosticMessage>;

export const diagnosticActor = defineActor<DiagnosticRun, DiagnosticMessage, DiagnosticPorts, Change>({
  kind: 'diagnostic',
  mailboxMax: 100,
  idleMs: 10_000,
  turnMax: 1,
  supervise: FROM_ITS_ROW,
  reconcile: wakeDue(10_000, (ports, shards) => ports.dueDiagnosticRuns(shards)),
  async load(keys, ports) {
    const runs = await ports.loadDiagnosticRuns(keys.map(Number));
    return new Map([...runs].map(([id, run]) => [String(id), run]));
  },
  receive(run, message, ctx) {
    if (message.type === 'begin') return begin(run, message, ctx);
    return run === undefined ? stay(run) : makeSome(run, ctx);
  },
});

function begin(
  run: DiagnosticRun | undefined,
  message: Extract<DiagnosticMessage, { type: 'begin' }>,
  ctx: Ctx<DiagnosticMessage>,
): DiagnosticOutcome {
  const effects: Effect<Change, DiagnosticMessage>[] = [];
  if (run === undefined) {
    effects.push(
      save({ type: 'createEvents', events: [message.event] }),
      save({ type: 'createDiagnosticRuns', runs: [message.run] }),
      ...keepAnswer(message),
    );
  }
  // The next message loads the row together with the revision of its recipes.
  effects.push(...answer(message, ctx, {}), tell(ctx.self, { type: 'wake' }), stop());
  return stay(run, ...effects);
}

function makeSome(run: DiagnosticRun, ctx: Ctx): DiagnosticOutcome {
  const count = Math.min(CHUNK, run.total - run.madeCount);
  if (count <= 0) return stay(run, stop());
  const changes: Change[] = [];
  const queued: QueuedEntry[] = [];
  for (let made = 0; made < count; made++) {
    const recipeId = ctx.newId('recipe');
    const request = {
      recipeId,
      shard: shardOf('recipe', String(recipeId)),
      eventId: run.eventId,
      batchId: null,
      ingestId: null,
      configuration: null,
      input: { files: {}, json: {} },
    };
    const started = startRecipe(run.revision, request, {
      files: NO_FILES,
      workspaces: NO_WORKSPACES,
      nowMs: ctx.nowMs,
      newId: (kind) => ctx.newId(kind),
    });
    changes.push(...started.changes);
    queued.push(...started.queued);
  }
  const to = run.madeCount + count;
  const advance: Change = {
    type: 'advanceDiagnosticRun',
    runId: run.id,
    from: run.madeCount,
    to,
    atMs: ctx.nowMs,
  };
  const next: Effect<Change, DiagnosticMessage> =
    to < run.total ? timer('next', PAUSE_MS, { type: 'wake' }) : stop();
  return stay(
    { ...run, madeCount: to },
    ...changes.map((change) => save(change)),
    save(advance),
    ...announceQueued(queued),
    next,
  );
}
