/** The batches of a chain beside each other, the newest last. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { batchComparison } from '../batches/queries.ts';
import { count } from '../format/amounts.ts';
import { isoDuration } from '../format/times.ts';
import { ComparedRow } from '../parts/compared-row.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';

const COUNTS = [
  ['recipes_total', 'Recipes'],
  ['recipes_completed', 'Recipes completed'],
  ['jobs_total', 'Jobs'],
  ['jobs_completed', 'Jobs completed'],
  ['jobs_failed', 'Jobs failed'],
  ['jobs_canceled', 'Jobs canceled'],
] as const;

export function Comparison({ id }: { readonly id: number }) {
  const comparison = useQuery(queryOptions({ ...batchComparison(id), retry: false }));
  return (
    <section aria-label="Comparison">
      <h2>Compared with the other batches of its chain</h2>
      <Loaded query={comparison}>
        {({ batches, metrics }) =>
          batches.length < 2 ? (
            <Empty title="This is the only batch of its chain">
              Run it again to compare counts, failures and durations.
            </Empty>
          ) : (
            <Rows
              label="Batches of the chain"
              heads={['', ...batches.map((one) => `${one.title} ${one.id}`.trim())]}
            >
              {COUNTS.map(([name, title]) => (
                <ComparedRow
                  key={name}
                  title={title}
                  records={batches}
                  isNumber
                  cell={(_batch, index) => count(metrics[name][index] ?? 0)}
                />
              ))}
              {Object.entries(metrics.job_metrics).map(([node, { avg_job_duration }]) => (
                <ComparedRow
                  key={node}
                  title={`${node}, average time`}
                  records={batches}
                  isNumber
                  cell={(_batch, index) => isoDuration(avg_job_duration[index] ?? null)}
                />
              ))}
              <ComparedRow
                title="Batch"
                records={batches}
                cell={({ id: one }) =>
                  one === id ? (
                    'This batch'
                  ) : (
                    <Link to="/console/batches/$id/" params={{ id: String(one) }}>
                      {one}
                    </Link>
                  )
                }
              />
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}
