/** Builds the spans of a recipe's trace from its rows. */
import {
  executionSpan,
  foreignSpan,
  type SpanPart,
  spanIdOf,
  type TraceSubject,
  traceIdOf,
} from '../../domain/trace.ts';
import type { SpanFacts } from '../../observe/spans.ts';
import type { TracedExecution, TracedRecipe } from '../../store/status/traced.ts';

/** The commit that created a recipe. `turns`: how many turns it saved. */
export interface Commit {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly turns: number;
}

/** The root span of a recipe's trace. */
const ROOT = 'start';

type Part = Omit<SpanFacts, 'traceId' | 'spanId' | 'parentId'>;

/**
 * A span of a trace. `what` is its name within the trace, and `parent` the name of its parent span. Without a parent it
 * is the topmost span of its subject: it is below the caller's span, if the caller sent one.
 */
function spanOf(subject: TraceSubject, what: string, parent: string | undefined, part: Part): SpanFacts {
  const parentId =
    parent === undefined ? foreignSpan(subject.traceParent)?.spanId : spanIdOf(subject, parent);
  return {
    ...{ traceId: traceIdOf(subject), spanId: spanIdOf(subject, what) },
    ...(parentId === undefined ? {} : { parentId }),
    ...part,
  };
}

/**
 * The spans from the call or file that started a recipe to the commit that created it. A sub-recipe has only the span
 * of its commit.
 */
export function startSpans(recipe: TracedRecipe, commit: Commit | undefined): SpanFacts[] {
  const { id, subject, recipeType, event, ingest, created, isRoot } = recipe;
  const attributes = { 'millrace.recipe.id': id, 'millrace.recipe.type': recipeType };
  const { startedMs, endedMs, turns } = commit ?? { startedMs: created, endedMs: created, turns: 0 };
  const committed = spanOf(subject, `commit of recipe ${id}`, ROOT, {
    ...{ name: 'commit', startMs: startedMs, endMs: endedMs },
    attributes: { ...attributes, 'millrace.commit.turns': turns },
  });
  if (!isRoot) return [committed];
  const beganMs = ingest === null ? Math.min(event.occurredMs, startedMs) : ingest.startedMs;
  const root = spanOf(subject, ROOT, undefined, {
    ...{ name: `start recipe ${recipeType}`, startMs: beganMs, endMs: endedMs },
    kind: ingest === null ? 'server' : 'consumer',
    attributes: { ...attributes, 'millrace.event.type': event.type },
  });
  if (ingest === null) return [root, committed];
  const ingested = spanOf(subject, 'ingest', ROOT, {
    ...{ name: 'ingest', startMs: ingest.startedMs, endMs: ingest.endedMs },
    attributes: { 'millrace.ingest.id': ingest.id, 'millrace.file.name': ingest.fileName },
  });
  return [root, ingested, committed];
}

/** The span of a completed recipe's whole life. */
export function completionSpans({ id, subject, recipeType, created, completed }: TracedRecipe): SpanFacts[] {
  if (completed === null) return [];
  const attributes = { 'millrace.recipe.id': id, 'millrace.recipe.type': recipeType };
  const part = { name: `recipe ${recipeType}`, startMs: created, endMs: completed, attributes };
  return [spanOf(subject, `recipe ${id}`, ROOT, part)];
}

const PARTS: readonly string[] = ['pull', 'pre', 'main', 'post'] satisfies SpanPart[];

function isPart(phase: string): phase is SpanPart {
  return PARTS.includes(phase);
}

/**
 * The span of an execution, from queued to ended, with its products; below it the spans of its launch and its tasks.
 */
export function executionSpans(execution: TracedExecution): SpanFacts[] {
  const { executionId, subject, started, ended, status, error, phases } = execution;
  const attributes = {
    'millrace.execution.id': executionId,
    'millrace.execution.number': execution.exeNum,
    'millrace.job.id': execution.jobId,
    'millrace.job.type': execution.jobType,
    'millrace.job.type.version': execution.jobTypeVersion,
    'millrace.node': execution.node,
    'millrace.status': status,
  };
  const failure = status === 'COMPLETED' ? {} : { error: error ?? status };
  const own = executionSpan(executionId);
  const events = [
    { name: 'placed', atMs: started, attributes: { 'millrace.node': execution.node } },
    ...execution.products.map(({ id, path, createdMs }) => {
      const attributes = { 'millrace.file.id': id, 'millrace.file.path': path };
      return { name: 'product', atMs: createdMs, attributes };
    }),
  ];
  const below = (part: SpanPart, startMs: number, endMs: number): SpanFacts =>
    spanOf(subject, executionSpan(executionId, part), own, { name: part, startMs, endMs, attributes });
  const ran = phases.flatMap(({ phase, startedMs, endedMs }) => {
    return isPart(phase) ? [below(phase, startedMs, endedMs ?? ended)] : [];
  });
  return [
    spanOf(subject, own, subject.kind === 'recipe' ? ROOT : undefined, {
      ...{ name: `job ${execution.jobType}`, startMs: execution.queued, endMs: ended, attributes, events },
      ...failure,
    }),
    below('launch', started, phases[0]?.startedMs ?? ended),
    ...ran,
  ];
}
