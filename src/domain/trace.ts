/**
 * Ids of traces and spans (W3C Trace Context). They are hashes of their subjects, so that coordinators and tasks use
 * the same id for a span without exchanging it.
 */
import { createHash } from 'node:crypto';

/** The subject of a trace: a recipe with its sub-recipes, or a job without a recipe. */
export interface TraceSubject {
  readonly kind: 'recipe' | 'job';
  readonly id: number;
  /** Distinguishes installations whose ids are the same. */
  readonly createdMs: number;
}

/** The parts of an execution with a span of their own. */
export type SpanPart = 'launch' | 'pull' | 'pre' | 'main' | 'post';

/** 16 bytes, in hexadecimal. */
export function traceIdOf(subject: TraceSubject): string {
  return hashOf(subject, 'trace').slice(0, 32);
}

/** 8 bytes, in hexadecimal. `what` is unique within the trace. */
export function spanIdOf(subject: TraceSubject, what: string): string {
  return hashOf(subject, `span ${what}`).slice(0, 16);
}

/** The name, within its trace, of the span of an execution or of one of its parts. */
export function executionSpan(executionId: number, part?: SpanPart): string {
  return part === undefined ? `execution ${executionId}` : `execution ${executionId} ${part}`;
}

/** The variable TRACEPARENT of a task: spans of the task belong below its main phase. */
export function traceParentOf(subject: TraceSubject, executionId: number): string {
  return `00-${traceIdOf(subject)}-${spanIdOf(subject, executionSpan(executionId, 'main'))}-01`;
}

/** Log fields for lines about the task with this TRACEPARENT. */
export function traceFields(
  traceParent: string | undefined,
): { readonly trace_id: string; readonly span_id: string } | undefined {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(traceParent ?? '') ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { trace_id: traceId, span_id: spanId };
}

function hashOf({ kind, id, createdMs }: TraceSubject, what: string): string {
  return createHash('sha256').update(`${kind} ${id} ${createdMs} ${what}`).digest('hex');
}
