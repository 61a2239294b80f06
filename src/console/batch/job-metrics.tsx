/** The jobs of a batch by the node of the recipe: how many there are, and how long they took. */
import type { BatchDetails } from '../batches/queries.ts';
import { count } from '../format/amounts.ts';
import { isoDuration } from '../format/times.ts';
import { Rows } from '../parts/rows.tsx';

const HEADS = ['Node', 'Jobs', 'Completed', 'Failed', 'Running', 'Least', 'Average', 'Greatest'];

export function JobMetrics({ metrics }: { readonly metrics: BatchDetails['job_metrics'] }) {
  const nodes = Object.entries(metrics);
  if (nodes.length === 0) return null;
  return (
    <section aria-label="Jobs by node">
      <h2>Jobs by node</h2>
      <Rows label="Counts by node" heads={HEADS}>
        {nodes.map(([name, one]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="number">{count(one.jobs_total)}</td>
            <td className="number">{count(one.jobs_completed)}</td>
            <td className={`number${one.jobs_failed > 0 ? ' bad' : ''}`}>{count(one.jobs_failed)}</td>
            <td className="number">{count(one.jobs_running)}</td>
            <td className="number">{isoDuration(one.min_job_duration)}</td>
            <td className="number">{isoDuration(one.avg_job_duration)}</td>
            <td className="number">{isoDuration(one.max_job_duration)}</td>
          </tr>
        ))}
      </Rows>
    </section>
  );
}
