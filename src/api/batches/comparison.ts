/** Compares the batches of a chain: every metric becomes a list in the order of the batches. */

import type { ChainBatch } from '../../store/batch/list.ts';
import type { BatchComparison } from './schema.ts';

type Metrics = Readonly<Record<string, number | string | null>>;
type ComparedBatch = Pick<ChainBatch, 'summary'> & {
  readonly counts: Metrics;
  readonly job_metrics: Readonly<Record<string, Metrics>>;
};

/** The metrics of a node are null for a batch that does not have the node. */
export function compareBatches(chain: readonly ComparedBatch[]): BatchComparison {
  const nodes = new Set(chain.flatMap((one) => Object.keys(one.job_metrics)));
  const metricNames = new Set(
    chain.flatMap((one) => Object.values(one.job_metrics).flatMap((metric) => Object.keys(metric))),
  );
  const countNames = Object.keys(chain[0]?.counts ?? {});
  const counts = countNames.map((name) => [name, chain.map((one) => one.counts[name] ?? 0)]);
  const jobMetrics = [...nodes].sort().map((node) => {
    const lists = [...metricNames].map((name) => [
      name,
      chain.map((one) => one.job_metrics[node]?.[name] ?? null),
    ]);
    return [node, Object.fromEntries(lists)];
  });
  return {
    batches: chain.map((one) => one.summary),
    metrics: { ...Object.fromEntries(counts), job_metrics: Object.fromEntries(jobMetrics) },
  } as BatchComparison;
}
