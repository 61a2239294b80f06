/** Edges of the flow with all their figures, as a table. */
import { count, decimal } from '../format/amounts.ts';
import { Rows } from '../parts/rows.tsx';
import type { Flow, FlowEdge } from './queries.ts';

const HEADS = ['From', 'To', 'Done', 'An hour', 'Failed', 'Live', 'Deferred', 'Products'];
const BUSIEST_MAX = 12;

interface Props {
  readonly flow: Flow;
  readonly edges: readonly FlowEdge[];
}

export function EdgeRows({ flow, edges }: Props) {
  const titles = new Map(flow.nodes.map(({ key, title }) => [key, title]));
  return (
    <Rows label="Figures" isStacked heads={HEADS}>
      {edges.map((edge) => (
        <tr key={`${edge.from} ${edge.to}`}>
          <td>{titles.get(edge.from)}</td>
          <td>{titles.get(edge.to)}</td>
          <td className="number">{count(edge.done)}</td>
          <td className="number">{decimal(edge.per_hour)}</td>
          <td className={`number${edge.failed > 0 ? ' bad' : ''}`}>{count(edge.failed)}</td>
          <td className="number">{count(edge.live)}</td>
          <td className="number">{count(edge.waiting)}</td>
          <td className="number">{count(edge.files)}</td>
        </tr>
      ))}
    </Rows>
  );
}

const weightOf = ({ failed, live, waiting, done }: FlowEdge): number => failed + live + waiting + done;

/** Those with the most to count. Edges on which nothing happened have nothing to say. */
export function BusiestEdges({ flow }: { readonly flow: Flow }) {
  const counted = flow.edges
    .filter((edge) => weightOf(edge) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
  if (counted.length === 0) return null;
  return (
    <section aria-label="Busiest">
      <div className="section-head">
        <h2>Busiest</h2>
        {counted.length > BUSIEST_MAX && (
          <span className="soft">
            the first {BUSIEST_MAX} of {count(counted.length)} arrows by what they count
          </span>
        )}
      </div>
      <EdgeRows flow={flow} edges={counted.slice(0, BUSIEST_MAX)} />
    </section>
  );
}
