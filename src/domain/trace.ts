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
  /** The span of the caller whose trace it continues, as a `traceparent`; null: it has a trace of its own. */
  readonly traceParent: string | null;
}

/** A span of another program. */
export interface ForeignSpan {
  readonly traceId: string;
  readonly spanId: string;
}

const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Reads a `traceparent`. Undefined: it is none, and is to be ignored. */
export function foreignSpan(traceParent: string | null | undefined): ForeignSpan | undefined {
  const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN] = form.exec(traceParent ?? '') ?? [];
  const isNone = version === undefined || version === 'ff' || traceId === NO_TRACE || spanId === NO_SPAN;
  return isNone ? undefined : { traceId, spanId };
}

/** The parts of an execution with a span of their own. */
export type SpanPart = 'launch' | 'pull' | 'pre' | 'main' | 'post';

/** 16 bytes, in hexadecimal. */
export function traceIdOf(subject: TraceSubject): string {
  return foreignSpan(subject.traceParent)?.traceId ?? hashOf(subject, 'trace').slice(0, 32);
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

/** Log fields for lines about the task or request with this `traceparent`. */
export function traceFields(
  traceParent: string | undefined,
): { readonly trace_id: string; readonly span_id: string } | undefined {
  const span = foreignSpan(traceParent);
  return span === undefined ? undefined : { trace_id: span.traceId, span_id: span.spanId };
}

function hashOf({ kind, id, createdMs }: TraceSubject, what: string): string {
  return createHash('sha256').update(`${kind} ${id} ${createdMs} ${what}`).digest('hex');
}
