/** Events: what triggered a job, recipe or batch. */

export type EventType =
  | 'USER'
  | 'STRIKE_CREATED'
  | 'DRY_RUN_SCAN_CREATED'
  | 'SCAN_CREATED'
  | 'STRIKE_TRANSFER'
  | 'SCAN_TRANSFER'
  | 'STRIKE_INGEST'
  | 'SCAN_INGEST';

export interface NewEvent {
  readonly id: number;
  readonly type: EventType;
  readonly occurredMs: number;
  /** JSON object; its shape depends on the type, see docs/events.md. */
  readonly description: Readonly<Record<string, unknown>>;
  /** The caller's span, as a `traceparent` (W3C Trace Context). Absent: the work begins a trace. */
  readonly traceParent?: string | undefined;
}
