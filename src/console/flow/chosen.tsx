/** The facts about the chosen part of the flow, with links. */
import { Link } from '@tanstack/react-router';
import { counted } from '../format/amounts.ts';
import { KIND_WORDS } from './drawn.tsx';
import { EdgeRows } from './edge-rows.tsx';
import type { Flow, FlowNode } from './queries.ts';

interface Props {
  readonly flow: Flow;
  readonly node: FlowNode;
  readonly clear: () => void;
}

export function Chosen({ flow, node, clear }: Props) {
  const around = flow.edges.filter(({ from, to }) => from === node.key || to === node.key);
  return (
    <section aria-label="Chosen">
      <div className="section-head">
        <h2>
          {KIND_WORDS[node.kind]} {node.title}
        </h2>
        <span className="soft">
          {node.name} {node.version}
        </span>
        <Leads node={node} />
        <button type="button" className="quiet end" onClick={clear}>
          Show the whole flow
        </button>
      </div>
      {node.patterns.length > 0 && <p className="mono soft">{node.patterns.join('  ')}</p>}
      {around.length > 0 && <EdgeRows flow={flow} edges={around} />}
    </section>
  );
}

/** Links to the lists that the figures count. */
function Leads({ node: { kind, id, name, failed, files } }: { readonly node: FlowNode }) {
  const params = { id: String(id) };
  switch (kind) {
    case 'workspace':
      return (
        <Link to="/console/workspaces/$id/" params={params}>
          Workspace
        </Link>
      );
    case 'strike':
      return (
        <>
          <Link to="/console/strikes/$id/" params={params}>
            Strike
          </Link>
          <Link to="/console/arrivals/" search={{ strike: String(id) }}>
            Arrivals
          </Link>
        </>
      );
    case 'scan':
      return (
        <>
          <Link to="/console/scans/$id/" params={params}>
            Scan
          </Link>
          <Link to="/console/arrivals/" search={{ scan: String(id) }}>
            Arrivals
          </Link>
        </>
      );
    case 'recipe_type':
      return (
        <Link to="/console/files/" search={{ recipe_type: String(id), type: 'PRODUCT' }}>
          Products
        </Link>
      );
    case 'job_type':
      return (
        <>
          <Link to="/console/jobs/" search={{ type: name }}>
            Jobs
          </Link>
          {failed > 0 && (
            <Link to="/console/jobs/" search={{ type: name, status: 'FAILED' }}>
              {counted(failed, 'failed job')}
            </Link>
          )}
          {files > 0 && (
            <Link to="/console/files/" search={{ job_type: name }}>
              {counted(files, 'product')}
            </Link>
          )}
        </>
      );
  }
}
