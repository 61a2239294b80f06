/** The boxes and arrows of the flow. Their sizes do not depend on figures, so that the map does not move. */
import { Link } from '@tanstack/react-router';
import { count, counted, decimal } from '../format/amounts.ts';
import type { GraphEdge, GraphNode } from '../graph/graph.tsx';
import type { Tone } from '../parts/status.tsx';
import type { FlowEdge, FlowNode } from './queries.ts';

const WIDTH = 164;
const HEIGHT = 62;
const LABEL = { width: 86, height: 36 } as const;
const PRODUCTS_WIDTH = 112;

export const KIND_WORDS = {
  workspace: 'Workspace',
  strike: 'Strike',
  scan: 'Scan',
  recipe_type: 'Recipe type',
  job_type: 'Job type',
} as const;
const LAYERS = { workspace: 0, strike: 1, scan: 1, recipe_type: 2, job_type: 3 } as const;
const PRODUCTS_LAYER = 4;

export function flowNode(node: FlowNode, choose: () => void): GraphNode {
  return {
    ...{ id: node.key, width: WIDTH, height: HEIGHT, layer: LAYERS[node.kind], tone: toneOf(node) },
    content: (
      <>
        <p>
          <button
            type="button"
            className="link whole"
            title={[node.title, detailOf(node), ...node.patterns].join('\n')}
            onClick={choose}
          >
            {node.title}
          </button>
        </p>
        <p className="soft">{detailOf(node)}</p>
      </>
    ),
  };
}

/** What a job type has made, as a box behind it. A type that has made nothing has none. */
export function productsNode({ key, kind, name, title, files }: FlowNode): GraphNode | undefined {
  if (kind !== 'job_type' || files === 0) return undefined;
  return {
    ...{ id: productsKey(key), width: PRODUCTS_WIDTH, height: HEIGHT, layer: PRODUCTS_LAYER, tone: 'good' },
    content: (
      <>
        <p title={`Products of ${title}`}>
          <Link className="strong" to="/console/files/" search={{ job_type: name }}>
            Products<span className="hidden"> that {title} has made</span>
          </Link>
        </p>
        <p className="soft number">{counted(files, 'file')}</p>
      </>
    ),
  };
}

export function productsEdge({ key }: FlowNode): GraphEdge {
  return { id: `${key} ${productsKey(key)}`, from: key, to: productsKey(key), tone: 'good' };
}

const productsKey = (key: string): string => `${key} products`;

function toneOf({ is_active, failed, live, kind }: FlowNode): Tone | undefined {
  if (failed > 0) return 'bad';
  if (!is_active) return kind === 'scan' ? undefined : 'wait';
  return live > 0 ? 'busy' : undefined;
}

function detailOf({ kind, is_active, patterns, live, failed, version }: FlowNode): string {
  switch (kind) {
    case 'workspace':
      return is_active ? 'Workspace' : 'Workspace, not active';
    case 'strike':
      return `Strike${is_active ? '' : ', paused'}: ${rules(patterns)}`;
    case 'scan':
      return `Scan: ${rules(patterns)}`;
    case 'recipe_type':
      return `Recipe type, ${live > 0 ? `${count(live)} live` : is_active ? 'idle' : 'deprecated'}`;
    case 'job_type':
      if (failed > 0) return `Job type, ${count(failed)} failed`;
      if (live > 0) return `Job type, ${count(live)} live`;
      return is_active ? `Job type ${version ?? ''}` : 'Job type, not active';
  }
}

function rules(patterns: readonly string[]): string {
  const [first = ''] = patterns;
  return patterns.length > 1 ? `${counted(patterns.length, 'rule')}: ${first} …` : first;
}

export function flowEdge(edge: FlowEdge): GraphEdge {
  const { from, to, done, per_hour, failed, live, waiting } = edge;
  const second = [
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(live > 0 ? [`${count(live)} live`] : []),
    ...(waiting > 0 ? [`${count(waiting)} deferred`] : []),
  ];
  return {
    ...{ id: `${from} ${to}`, from, to, label: LABEL },
    tone: failed > 0 ? 'bad' : live > 0 ? 'busy' : done > 0 ? 'good' : waiting > 0 ? 'wait' : undefined,
    text: (
      <>
        <span className="number">
          {count(done)}
          {done > 0 && <span className="soft">, {decimal(per_hour)}/h</span>}
        </span>
        {second.length > 0 && <span className="second number">{second.slice(0, 2).join(', ')}</span>}
      </>
    ),
  };
}
