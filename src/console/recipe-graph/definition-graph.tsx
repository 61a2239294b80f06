/** The nodes of a recipe type as a graph: jobs, recipes and conditions in their order; optionally with changes. */
import { useMemo } from 'react';
import type { AnswerOf } from '../../client/operations.ts';
import { Graph } from '../graph/graph.tsx';
import type { Tone } from '../parts/status.tsx';
import { edgesOf } from './edges.ts';
import { heightOf, NODE_WIDTH, TESTS_SHOWN, testText, whatRuns } from './node-box.tsx';

export type DefinedNode = AnswerOf<
  'get',
  '/v6/recipe-types/{name}/revisions/{revision_num}/graph/'
>['nodes'][number];

type Change = 'NEW' | 'CHANGED' | 'DELETED' | 'UNCHANGED';

const CHANGE_TONES: Readonly<Record<Change, Tone>> = {
  ...{ NEW: 'good', CHANGED: 'wait', DELETED: 'bad', UNCHANGED: 'idle' },
};
const CHANGE_WORDS = { NEW: 'new', CHANGED: 'changed', DELETED: 'removed', UNCHANGED: undefined } as const;

interface Props {
  readonly label: string;
  readonly nodes: readonly DefinedNode[];
  /** By the name of the node: how it differs from an earlier revision. */
  readonly changes?: Readonly<Record<string, { readonly status: Change }>> | undefined;
  /** Down if there is little space beside the graph. */
  readonly direction?: 'RIGHT' | 'DOWN';
}

export function DefinitionGraph({ label, nodes, changes, direction }: Props) {
  const boxes = useMemo(
    () =>
      nodes.map((node) => {
        const change = changes?.[node.name]?.status ?? 'UNCHANGED';
        return {
          ...{ id: node.name, width: NODE_WIDTH, height: heightOf(node) - STATE_PX * Number(isRun(node)) },
          ...{ tone: CHANGE_TONES[change], content: <DefinedBox node={node} change={change} /> },
        };
      }),
    [nodes, changes],
  );
  const edges = useMemo(() => edgesOf(nodes, (name) => name), [nodes]);
  return <Graph label={label} nodes={boxes} edges={edges} direction={direction} />;
}

const STATE_PX = 18;
const isRun = ({ node_type }: DefinedNode): boolean => node_type !== 'condition';

function DefinedBox({ node, change }: { readonly node: DefinedNode; readonly change: Change }) {
  const { name, tests } = node;
  const word = CHANGE_WORDS[change];
  return (
    <>
      <div className="node-head">
        <p className="title" title={name}>
          {name}
        </p>
        {word !== undefined && <span className={`status ${CHANGE_TONES[change]}`}>{word}</span>}
      </div>
      <p className="soft" title={whatRuns(node)}>
        {whatRuns(node)}
      </p>
      {tests.slice(0, TESTS_SHOWN).map((test, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tests keep their order
        <p key={`${test.meaning} ${index}`} className="mono" title={test.meaning}>
          {testText(test)}
        </p>
      ))}
      {tests.length > TESTS_SHOWN && <p className="soft">{tests.length - TESTS_SHOWN} more</p>}
    </>
  );
}
