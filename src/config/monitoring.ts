/** Settings of metrics and traces. */
import type { Reader, Setting } from './setting.ts';

const coordinator: readonly Reader[] = ['coordinator'];

export const MONITORING = [
  {
    name: 'MILLRACE_METRICS_TOKEN',
    readers: coordinator,
    description:
      'The token with which Prometheus reads `/metrics`, as `Authorization: Bearer`; at least 16 characters. It ' +
      'is checked without the database.',
    defaultText: 'none: whoever may read; beyond this machine an account or a token of one',
    isSecret: true,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    readers: coordinator,
    description:
      'The OTLP address of an OpenTelemetry collector over HTTP, as http(s)://host:4318; traces go to its ' +
      '/v1/traces. If it is set, tasks get TRACEPARENT. All coordinators need the same value.',
    defaultText: 'none: no tracing',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    readers: coordinator,
    description: 'Headers for that collector, as name=value, separated by commas, values percent-encoded.',
    defaultText: 'none',
    isSecret: true,
  },
] as const satisfies readonly Setting[];
