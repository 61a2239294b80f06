/** Sends spans to an OpenTelemetry collector over OTLP. Loaded only if a collector is configured. */
import { setTimeout } from 'node:timers/promises';
import { type Attributes, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';

export interface SpanFacts {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'consumer';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events?: readonly {
    readonly name: string;
    readonly atMs: number;
    readonly attributes: Attributes;
  }[];
  /** Why it failed. */
  readonly error?: string;
}

export interface SpanOptions {
  /** Base URL of OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly version: string;
  /** This coordinator's id. */
  readonly self: string;
}

export interface Spans {
  send(span: SpanFacts): void;
  /** Sends the remaining spans, for at most five seconds. */
  close(): Promise<void>;
}

// limit: spans that wait for the collector. While it cannot be reached, further ones are dropped.
const WAITING_MAX = 20_000;
const AT_ONCE_MAX = 1_000;
const EVERY_MS = 1_000;
const TIMEOUT_MS = 5_000;
const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const;

export function openSpans({ endpoint, headers, version, self }: SpanOptions): Spans {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: TIMEOUT_MS,
  });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: WAITING_MAX,
    maxExportBatchSize: AT_ONCE_MAX,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: TIMEOUT_MS,
  });
  const resource = resourceFromAttributes({
    'service.name': 'millrace',
    'service.version': version,
    'service.instance.id': self,
  });
  const shared = { resource, instrumentationScope: { name: 'millrace', version } };
  return {
    send: (span) => processor.onEnd({ ...readable(span), ...shared }),
    async close() {
      const ended = processor.shutdown().catch(() => undefined); // a collector that is down must not delay the exit
      await Promise.race([ended, setTimeout(TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

type Own = Omit<ReadableSpan, 'resource' | 'instrumentationScope'>;

function readable(span: SpanFacts): Own {
  const { traceId, spanId, parentId, name, startMs, error } = span;
  // The instants come from several clocks, so an end before the begin is corrected.
  const endMs = Math.max(startMs, span.endMs);
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    ...{
      name,
      kind: KINDS[span.kind ?? 'internal'],
      spanContext: () => context,
      attributes: span.attributes,
    },
    ...(parentId === undefined
      ? {}
      : { parentSpanContext: { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED } }),
    ...{ startTime: timeOf(startMs), endTime: timeOf(endMs), duration: timeOf(endMs - startMs), ended: true },
    status:
      error === undefined ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: error },
    events: (span.events ?? []).map(({ name, atMs, attributes }) => ({
      name,
      time: timeOf(atMs),
      attributes,
    })),
    ...{ links: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

/** Seconds and nanoseconds. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
