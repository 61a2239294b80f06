/**
 * The last recipes of a type: a column for each recipe, a line for each node. Only the lines in view are in the page,
 * and a pointer over a cell redraws nothing.
 */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, useEffect, useMemo, useRef } from 'react';
import { counted } from '../format/amounts.ts';
import { duration, instant, instantInFull } from '../format/times.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { SHAPES, toneOf, wordOf } from '../parts/status.tsx';
import { WatchForm } from '../strikes/watch-form.tsx';
import type { Grid } from './grid-changes.ts';
import { type RecipeType, recipeTypeGrid } from './queries.ts';

type GridNode = Grid['nodes'][number];
type GridRecipe = Grid['recipes'][number];

const LINE_PX = 26;
const NAME_TRACK = 'var(--run-name)';
const CELL_TRACK = '30px';
/** The reasons why a node may have no job, recipe or condition. */
const NOT_CREATED = 'Skipped, not reached yet, or not in its revision';

export function RecipeGrid({ type }: { readonly type: RecipeType }) {
  const grid = useQuery(recipeTypeGrid(type.name, type.id));
  return (
    <section aria-label="Last recipes">
      <Loaded query={grid}>
        {(found) => (found.recipes.length === 0 ? <NoRecipes type={type} /> : <Lines grid={found} />)}
      </Loaded>
    </section>
  );
}

function NoRecipes({ type }: { readonly type: RecipeType }) {
  if (type.is_system) {
    return (
      <Empty title="No recipe of this type has been started yet">
        Recipes for diagnostics take no file. The guide says how to{' '}
        <a href="/docs/guide/diagnostics/">start one</a>.
      </Empty>
    );
  }
  return (
    <div className="first-step">
      <h2>No recipe of this type has been started yet: start one for each file of a directory</h2>
      <WatchForm recipe={type.name} />
    </div>
  );
}

function Lines({ grid: { nodes, recipes } }: { readonly grid: Grid }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 8,
  });
  // The oldest is on the left; the view begins at the newest.
  const columns = useMemo(() => recipes.map((_, index) => recipes.length - 1 - index), [recipes]);
  useEffect(() => {
    scroller.current?.scrollTo({ left: scroller.current.scrollWidth });
  }, []);
  const follow = useFollow();
  const layout = { gridTemplateColumns: `${NAME_TRACK} repeat(${recipes.length}, ${CELL_TRACK})` };
  return (
    <>
      <div className="section-head">
        <h2>Last recipes</h2>
        <span className="soft">
          {counted(nodes.length, 'node')} in {counted(recipes.length, 'recipe')}, the newest on the right
        </span>
      </div>
      <div
        className="run-grid"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Grid of the last recipes"
      >
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links in it are what is clicked, by keys as well */}
        <table aria-rowcount={nodes.length + 1} onClick={follow}>
          <thead>
            <tr className="run-line run-head" style={layout} aria-rowindex={1}>
              <th scope="col">Node</th>
              {columns.map((index) => {
                const recipe = recipes[index];
                return recipe === undefined ? null : <Head key={recipe.id} recipe={recipe} />;
              })}
            </tr>
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const node = nodes[index];
              return node === undefined ? null : (
                <tr
                  key={node.name}
                  className="run-line"
                  style={{ ...layout, transform: `translateY(${start}px)` }}
                  aria-rowindex={index + 2}
                >
                  <Cells node={node} recipes={recipes} columns={columns} />
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Key />
    </>
  );
}

function Key() {
  return (
    <p className="soft run-key">
      {(['COMPLETED', 'FAILED', 'RUNNING', 'QUEUED', 'PENDING', 'ACCEPTED', 'REFUSED'] as const).map(
        (state) => (
          <span key={state}>
            <Mark state={state} kind={state === 'ACCEPTED' || state === 'REFUSED' ? 'condition' : 'job'} />{' '}
            {wordOf(state)}
          </span>
        ),
      )}
      <span>
        <span aria-hidden="true" className="run-none">
          ·
        </span>{' '}
        {NOT_CREATED}
      </span>
    </p>
  );
}

/** Follows links of the grid without loading the console again. One handler serves the thousands of cells. */
function useFollow(): (event: MouseEvent) => void {
  const navigate = useNavigate();
  return (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const href = (event.target as Element).closest('a')?.getAttribute('href');
    if (typeof href !== 'string' || !isPlain || event.defaultPrevented) return;
    event.preventDefault();
    void navigate({ href });
  };
}

function Head({ recipe }: { readonly recipe: GridRecipe }) {
  const { id, state, created, completed, revision_num, is_superseded } = recipe;
  const createdMs = Date.parse(created);
  const words = [
    `Recipe ${id}: ${wordOf(is_superseded ? 'SUPERSEDED' : state)}`,
    `created ${instantInFull(createdMs)}`,
    ...(completed === null ? [] : [`took ${duration(Date.parse(completed) - createdMs)}`]),
    `revision ${revision_num}`,
  ].join(', ');
  return (
    <th scope="col" title={words}>
      <Link to="/console/recipes/$id/" params={{ id: String(id) }} className={is_superseded ? 'faint' : ''}>
        <span className="run-time">{instant(createdMs, Date.now())}</span>
        <Mark state={state} kind="recipe" />
        <span className="hidden">{words}</span>
      </Link>
    </th>
  );
}

interface CellsProps {
  readonly node: GridNode;
  readonly recipes: readonly GridRecipe[];
  readonly columns: readonly number[];
}

const Cells = memo(function Cells({ node: { name, node_type, states, ids }, recipes, columns }: CellsProps) {
  return (
    <>
      <th scope="row" title={name}>
        {name}
      </th>
      {columns.map((index) => {
        const [state, id, recipe] = [states[index] ?? null, ids[index] ?? null, recipes[index]];
        if (state === null || id === null || recipe === undefined) {
          return (
            <td key={index} title={NOT_CREATED} className="run-none">
              <span aria-hidden="true">·</span>
              <span className="hidden">{NOT_CREATED}</span>
            </td>
          );
        }
        const target = targetOf(node_type, id, recipe.id);
        return (
          <td key={index}>
            <a href={target.href} title={`${name}, recipe ${recipe.id}: ${wordOf(state)}`}>
              <Mark state={state} kind={node_type} />
              <span className="hidden">{`${name} ${wordOf(state)}`}</span>
            </a>
          </td>
        );
      })}
    </>
  );
});

/** The link of a condition goes to the graph of its recipe. */
function targetOf(kind: GridNode['node_type'], id: number, recipeId: number): { readonly href: string } {
  if (kind === 'job') return { href: `/console/jobs/${id}/` };
  return { href: `/console/recipes/${kind === 'recipe' ? id : recipeId}/` };
}

function Mark({ state, kind }: { readonly state: string; readonly kind: GridNode['node_type'] }) {
  const tone = toneOf(state);
  return (
    <span aria-hidden="true" className={`run-mark ${tone} of-${kind}`}>
      {SHAPES[tone]}
    </span>
  );
}
