/** The jobs of a batch by the node of the recipe: how many there are, and how long they took. */
import type { BatchDetails } from '../batches/queries.ts';
import { count } from '../format/amounts.ts';
import { isoDuration } from '../format/times.ts';
import { Rows } from '../parts/rows.tsx';

const HEADS = ['Node', 'Completed jobs', 'Failed', 'Running', 'Average time'];

export function JobMetrics({ metrics }: { readonly metrics: BatchDetails['job_metrics'] }) {
  const nodes = Object.entries(metrics);
  if (nodes.length === 0) return null;
  return (
    <section aria-label="Jobs by node">
      <h2>Jobs by node</h2>
      <Rows label="Counts by node" isStacked heads={HEADS}>
        {nodes.map(([name, one]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="number">
              {count(one.jobs_completed)} of {count(one.jobs_total)}
            </td>
            <td className={`number${one.jobs_failed > 0 ? ' bad' : ''}`}>{count(one.jobs_failed)}</td>
            <td className="number">{count(one.jobs_running)}</td>
            <td className="number divided">
              <span>{isoDuration(one.avg_job_duration)}</span>{' '}
              {one.min_job_duration !== one.max_job_duration && (
                <span className="soft">
                  {isoDuration(one.min_job_duration)} to {isoDuration(one.max_job_duration)}
                </span>
              )}
            </td>
          </tr>
        ))}
      </Rows>
      <p className="soft">Jobs that were purged since stay in these figures.</p>
    </section>
  );
}
