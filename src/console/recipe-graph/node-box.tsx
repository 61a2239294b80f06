/** The content of a node's box: its name, what it runs, its state, and the values that it compared. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../client/operations.ts';
import { Elapsed } from '../parts/instants.tsx';
import { StatusMark } from '../parts/status.tsx';

export type RecipeNode = AnswerOf<'get', '/v6/recipes/{id}/graph/'>['nodes'][number];

export const NODE_WIDTH = 236;
const LINE_PX = 18;
/** The height of the padding, the name, and the line that says what it runs. */
const HEAD_PX = 60;
/** limit: shown tests of a condition. */
export const TESTS_SHOWN = 3;

export function heightOf({ node_type, tests }: Pick<RecipeNode, 'node_type' | 'tests'>): number {
  if (node_type !== 'condition') return HEAD_PX + LINE_PX;
  const lines = Math.min(tests.length, TESTS_SHOWN) + (tests.length > TESTS_SHOWN ? 1 : 0);
  return HEAD_PX + lines * LINE_PX;
}

/** Shortens "passes when 100 < WORDS" for the box, where "passes" is understood. */
export const testText = ({ meaning, compared }: RecipeNode['tests'][number]): string =>
  compared ?? meaning.replace(/^passes when /, '');

interface Props {
  readonly node: RecipeNode;
  /** Buttons beside the name. */
  readonly actions?: ReactNode;
}

export function NodeBox({ node, actions }: Props) {
  const { name, node_type, state, job, recipe } = node;
  return (
    <>
      <div className="node-head">
        <p className="title" title={name}>
          {name}
        </p>
        {actions}
      </div>
      <p className="soft" title={whatRuns(node)}>
        {whatRuns(node)}
      </p>
      {node_type === 'condition' && <Tests node={node} />}
      {node_type !== 'condition' && (
        <p className="node-state">
          <StatusMark status={state} />
          {job !== null && (
            <>
              {job.started !== null && (
                <span className="number soft">
                  <Elapsed from={job.started} to={job.ended} />
                </span>
              )}
              <Link to="/console/jobs/$id/" params={{ id: String(job.id) }} className="end">
                job {job.id}
              </Link>
            </>
          )}
          {recipe !== null && (
            <Link to="/console/recipes/$id/" params={{ id: String(recipe.id) }} className="end">
              recipe {recipe.id}
            </Link>
          )}
        </p>
      )}
    </>
  );
}

type Shape = Pick<
  RecipeNode,
  'node_type' | 'type_name' | 'type_version' | 'type_revision' | 'needs_all_tests' | 'tests'
>;

/** What a node runs, in words. A revision that is null is the newest. */
export function whatRuns(node: Shape): string {
  const { node_type, type_name, type_version, type_revision, needs_all_tests, tests } = node;
  const revision = type_revision === null ? 'newest revision' : `revision ${type_revision}`;
  switch (node_type) {
    case 'job':
      return `${type_name} ${type_version}, ${revision}`;
    case 'recipe':
      return `recipe ${type_name}, ${revision}`;
    default:
      return tests.length > 1 ? `condition: ${needs_all_tests ? 'all of' : 'one of'}` : 'condition';
  }
}

function Tests({ node: { tests, condition, state } }: { readonly node: RecipeNode }) {
  const shown = tests.slice(0, TESTS_SHOWN);
  return (
    <>
      {shown.map((test, index) => (
        <p
          // biome-ignore lint/suspicious/noArrayIndexKey: tests keep their order
          key={`${test.meaning} ${index}`}
          className="mono"
          title={`${test.meaning}. ${condition?.reason ?? ''}`}
        >
          {testText(test)}
          {index === 0 && state !== 'WAITING' && state !== 'SKIPPED' && (
            <span className="condition-result">
              <StatusMark status={state} />
            </span>
          )}
        </p>
      ))}
      {tests.length > TESTS_SHOWN && <p className="soft">{tests.length - TESTS_SHOWN} more</p>}
    </>
  );
}
