/** Metrics of a coordinator, and traces if a collector is configured. */
import type { Config } from '../../config/config.ts';
import type { AnyResult, Change } from '../../domain/changes.ts';
import type { ApplyPort } from '../../kernel/mod.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { type MetricParts, openMetrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

export interface ObservedParts extends MetricParts {
  readonly config: Pick<Config, 'otlp'>;
  readonly sql: Sql;
  readonly clock: { nowMs(): number };
  readonly log: Pick<Logger, 'warn'>;
}

export async function openObserved(parts: ObservedParts) {
  const metrics = openMetrics(parts);
  const tracing = await openTracing(parts);
  return {
    metrics,
    tracing,
    /** The commit port, measured, and traced if a collector is configured. */
    watched(port: ApplyPort<Change, AnyResult>): ApplyPort<Change, AnyResult> {
      const measured = metrics.commits.measured(port);
      return tracing?.watched(measured) ?? measured;
    },
    async close(): Promise<void> {
      await tracing?.close();
    },
  };
}

/** The tracing modules are loaded only if there is a collector. */
async function openTracing(parts: ObservedParts): Promise<Tracing | undefined> {
  const { config, sql, clock, version, self, log } = parts;
  if (config.otlp === undefined) return undefined;
  const { endpoint, headers } = config.otlp;
  const tracing = await import('./tracing.ts');
  const nowMs = () => clock.nowMs();
  return tracing.openTracing({
    ...{ endpoint, version, self, sql, nowMs, log },
    headers: JSON.parse(headers.reveal()) as Record<string, string>,
  });
}
