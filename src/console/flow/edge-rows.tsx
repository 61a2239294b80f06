/** Edges of the flow with all their figures, as a table. */
import { count, decimal, noun } from '../format/amounts.ts';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { KIND_WORDS } from './drawn.tsx';
import type { Flow, FlowEdge, FlowNode } from './queries.ts';

const HEADS = ['From', 'To', 'Done', 'Done an hour', 'Failed', 'Live', 'Deferred', 'Products'];
/** What the figures of an edge count, by where it leads to. */
const COUNTED = {
  workspace: 'file',
  strike: 'file',
  scan: 'file',
  recipe_type: 'recipe',
  job_type: 'job',
} as const;
const BUSIEST_MAX = 12;

interface Props {
  readonly flow: Flow;
  readonly edges: readonly FlowEdge[];
}

export function EdgeRows({ flow, edges }: Props) {
  const nodes = new Map(flow.nodes.map((node) => [node.key, node]));
  return (
    <Rows label="Figures" isStacked heads={HEADS}>
      {edges.map((edge) => (
        <tr key={`${edge.from} ${edge.to}`}>
          <td>
            <End node={nodes.get(edge.from)} />
          </td>
          <td className="whole">
            <End node={nodes.get(edge.to)} />
          </td>
          <td className="number">
            {count(edge.done)}{' '}
            <span className="soft">{noun(edge.done, COUNTED[nodes.get(edge.to)?.kind ?? 'job_type'])}</span>
          </td>
          <td className="number">
            {decimal(edge.per_hour)}
            <span className="soft">/h</span>
          </td>
          <td className={`number${edge.failed > 0 ? ' bad' : ''}`}>{count(edge.failed)}</td>
          <td className="number">{count(edge.live)}</td>
          <td className="number">{count(edge.waiting)}</td>
          <td className="number">{count(edge.files)}</td>
        </tr>
      ))}
    </Rows>
  );
}

/** A workspace and its strike often have the same title. */
function End({ node }: { readonly node: FlowNode | undefined }) {
  if (node === undefined) return null;
  return (
    <>
      {node.title} <span className="soft">{KIND_WORDS[node.kind].toLowerCase()}</span>
    </>
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
        <span className="soft">
          as of <Instant at={flow.ended} />
          {counted.length > BUSIEST_MAX &&
            `, the first ${BUSIEST_MAX} of ${count(counted.length)} arrows by what they count`}
        </span>
      </div>
      <EdgeRows flow={flow} edges={counted.slice(0, BUSIEST_MAX)} />
    </section>
  );
}
