/** The flow of files as one map: workspaces, strikes and scans, recipe types, job types and their products. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Graph } from '../graph/graph.tsx';
import { MinuteOrInstant } from '../parts/instants.tsx';
import { Loaded } from '../parts/states.tsx';
import { WatchForm } from '../strikes/watch-form.tsx';
import { Chosen } from './chosen.tsx';
import { connectedTo } from './connected.ts';
import { flowEdge, flowNode, productsEdge, productsNode } from './drawn.tsx';
import { BusiestEdges } from './edge-rows.tsx';
import { DEFAULT_RANGE, type FlowSearch, RANGE_WORDS, RANGES } from './flow-search.ts';
import { type Flow, flowOf } from './queries.ts';

export function FlowPage({ search }: { readonly search: FlowSearch }) {
  const range = search.range ?? DEFAULT_RANGE;
  const flow = useQuery({ ...flowOf(range), placeholderData: keepPreviousData });
  const navigate = useNavigate();
  const set = (change: FlowSearch) =>
    void navigate({ to: '/console/flow/', search: { ...search, ...change }, resetScroll: false });
  return (
    <div className="page wide-page">
      <div className="page-head">
        <h1>Flow</h1>
        <div className="segments" role="group" aria-label="Range">
          {RANGES.map((one) => (
            <button key={one} type="button" aria-pressed={one === range} onClick={() => set({ range: one })}>
              {RANGE_WORDS[one]}
            </button>
          ))}
        </div>
        {flow.data !== undefined && (
          <span className="soft">
            counted by whole hours, since <MinuteOrInstant at={flow.data.started} />
          </span>
        )}
      </div>
      <Loaded query={flow}>
        {(found) =>
          found.nodes.length === 0 ? (
            <section aria-label="Watch a directory" className="first-step">
              <h2>Nothing flowed in the {RANGE_WORDS[range].toLowerCase()}: watch a directory</h2>
              <WatchForm />
            </section>
          ) : (
            <FlowMap flow={found} at={search.at} choose={(key) => set({ at: key })} />
          )
        }
      </Loaded>
    </div>
  );
}

interface MapProps {
  readonly flow: Flow;
  readonly at: string | undefined;
  /** Undefined: shows the whole map again. */
  readonly choose: (key: string | undefined) => void;
}

function FlowMap({ flow, at, choose }: MapProps) {
  const within = connectedTo(flow, at);
  const isFaint = (key: string): boolean => within !== undefined && !within.has(key);
  const nodes = flow.nodes.flatMap((node) => {
    const box = flowNode(node, () => choose(node.key === at ? undefined : node.key));
    const products = productsNode(node);
    return [
      { ...box, isMain: node.key === at, isFaint: isFaint(node.key) },
      ...(products === undefined ? [] : [{ ...products, isFaint: isFaint(node.key) }]),
    ];
  });
  const edges = [
    ...flow.edges.map((edge) => ({ ...flowEdge(edge), isFaint: isFaint(edge.from) || isFaint(edge.to) })),
    ...flow.nodes
      .filter((node) => productsNode(node) !== undefined)
      .map((node) => ({ ...productsEdge(node), isFaint: isFaint(node.key) })),
  ];
  const chosen = flow.nodes.find(({ key }) => key === at);
  return (
    <>
      <Graph label="Flow of files" nodes={nodes} edges={edges} />
      {chosen === undefined ? (
        <>
          <p className="soft">
            Choose a box to see its flow alone. Figures of job types count their jobs in all recipes.
            {flow.is_cut &&
              ' There is more than is shown: strikes, scans and recipe types that changed last are.'}
          </p>
          <BusiestEdges flow={flow} />
        </>
      ) : (
        <Chosen flow={flow} node={chosen} clear={() => choose(undefined)} />
      )}
    </>
  );
}
