/** One recipe: its graph with live states, its time line, its inputs and products, and its chain of recipes. */
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useAccount } from '../account.ts';
import { counted } from '../format/amounts.ts';
import { Fact } from '../parts/fact.tsx';
import { Elapsed, Instant } from '../parts/instants.tsx';
import { Progress } from '../parts/progress.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark, wordOf } from '../parts/status.tsx';
import { RecipeGraph } from '../recipe-graph/recipe-graph.tsx';
import { stateOf } from '../recipes/recipe-columns.tsx';
import { Chain } from './chain.tsx';
import { Inputs, Products } from './files.tsx';
import {
  type Recipe,
  recipeChain,
  recipeDetails,
  recipeGraph,
  recipeInputs,
  recipeProducts,
  recipeTimeline,
} from './queries.ts';
import type { RecipeView } from './recipe-search.ts';
import { ReprocessDialog, type ReprocessStart } from './reprocess-dialog.tsx';
import { Timeline } from './timeline.tsx';

interface Props {
  readonly id: number;
  /** What is opened on the page. */
  readonly view: RecipeView;
}

export function RecipePage({ id, view }: Props) {
  // What its parts show is read at the same time as the recipe.
  usePrefetchQuery(recipeGraph(id));
  usePrefetchQuery(recipeTimeline(id));
  usePrefetchQuery(recipeInputs(id));
  usePrefetchQuery(recipeProducts(id));
  usePrefetchQuery(recipeChain(id));
  const recipe = useQuery(recipeDetails(id));
  return (
    <div className="page wide-page">
      <Loaded query={recipe}>{(found) => <Found recipe={found} view={view} />}</Loaded>
    </div>
  );
}

/** What is opened on the page, and the addresses that open more of it. */
function useView(id: number, view: RecipeView) {
  const navigate = useNavigate();
  const show = useCallback(
    (change: RecipeView) =>
      void navigate({
        to: '/console/recipes/$id/',
        params: { id: String(id) },
        search: { ...view, ...change },
        resetScroll: false,
      }),
    [navigate, id, view],
  );
  const openIds = useMemo(() => (view.open ?? []).map(Number), [view.open]);
  const setOpenIds = useCallback(
    (ids: readonly number[]) => show({ open: ids.length === 0 ? undefined : ids.map(String) }),
    [show],
  );
  return { openIds, setOpenIds, show };
}

interface FoundProps extends Pick<Props, 'view'> {
  readonly recipe: Recipe;
}

function Found({ recipe, view }: FoundProps) {
  const [start, setStart] = useState<ReprocessStart>();
  const { mayWrite } = useAccount();
  const mayReprocess =
    mayWrite && !recipe.is_superseded && recipe.recipe === null && recipe.recipe_type.is_active;
  const runAgain = useCallback((node: string) => setStart({ node }), []);
  const { openIds, setOpenIds, show } = useView(recipe.id, view);
  return (
    <>
      <Head recipe={recipe}>
        {mayReprocess && (
          <button type="button" onClick={() => setStart({ node: undefined })}>
            Run again…
          </button>
        )}
      </Head>
      {recipe.superseded_by_recipe !== null && (
        <p className="note">
          Superseded by{' '}
          <Link to="/console/recipes/$id/" params={{ id: String(recipe.superseded_by_recipe.id) }}>
            recipe {recipe.superseded_by_recipe.id}
          </Link>
          .
        </p>
      )}
      <section aria-label="Graph">
        <div className="section-head">
          <h2>Graph</h2>
          <span className="soft">
            {counted(Object.keys(recipe.recipe_type_rev.definition.nodes).length, 'node')}
          </span>
        </div>
        <RecipeGraph
          recipeId={recipe.id}
          openIds={openIds}
          setOpenIds={setOpenIds}
          runAgain={mayReprocess ? runAgain : undefined}
        />
      </section>
      <Timeline recipeId={recipe.id} />
      <div className="columns">
        <Facts recipe={recipe} />
        <Inputs recipe={recipe} />
      </div>
      <Products recipeId={recipe.id} />
      <Chain
        recipeId={recipe.id}
        compared={view.compared === undefined ? undefined : Number(view.compared)}
        compare={(id) => show({ compared: id === undefined ? undefined : String(id) })}
      />
      {start !== undefined && (
        <ReprocessDialog recipe={recipe} start={start} close={() => setStart(undefined)} />
      )}
    </>
  );
}

function Head({ recipe, children }: { readonly recipe: Recipe; readonly children: ReactNode }) {
  return (
    <div className="page-head">
      <h1>
        <Link to="/console/recipes/" className="crumb">
          Recipes
        </Link>{' '}
        <span aria-hidden="true" className="soft">
          /
        </span>{' '}
        <bdi>{recipe.recipe_type.title}</bdi> <span className="head-id">{recipe.id}</span>
      </h1>
      <StatusMark status={stateOf(recipe)} />
      <Progress
        total={recipe.jobs_total}
        done={recipe.jobs_completed}
        failed={recipe.jobs_failed}
        noun="job"
        isNamed
      />
      <div className="page-actions">
        <Link className="button" to="/console/jobs/" search={{ recipe: String(recipe.id) }}>
          Its jobs
        </Link>
        {children}
      </div>
    </div>
  );
}

function Facts({ recipe }: { readonly recipe: Recipe }) {
  const { recipe_type, recipe_type_rev, event, batch } = recipe;
  return (
    <section aria-label="Facts">
      <h2>Recipe</h2>
      <dl className="facts">
        <Fact name="Type">
          <Link to="/console/recipe-types/$name/" params={{ name: recipe_type.name }}>
            {recipe_type.title}
          </Link>{' '}
          <span className="soft">
            {recipe_type.name}, revision {recipe_type_rev.revision_num}
            {recipe_type_rev.revision_num < recipe_type.revision_num &&
              `; the newest is ${recipe_type.revision_num}`}
          </span>
        </Fact>
        {recipe.recipe !== null && (
          <Fact name="Inside">
            <Link to="/console/recipes/$id/" params={{ id: String(recipe.recipe.id) }}>
              {recipe.recipe.recipe_type.title} {recipe.recipe.id}
            </Link>
          </Fact>
        )}
        {recipe.sub_recipes_total > 0 && (
          <Fact name="Recipes inside">
            <Link to="/console/recipes/" search={{ root: String(recipe.id) }}>
              {recipe.sub_recipes_completed} of {recipe.sub_recipes_total} completed
            </Link>
          </Fact>
        )}
        {batch !== null && (
          <Fact name="Batch">
            <Link to="/console/batches/$id/" params={{ id: String(batch.id) }}>
              {batch.title}
            </Link>
          </Fact>
        )}
        <Fact name="Started by">{wordOf(event.type)}</Fact>
        <Fact name="Created">
          <Instant at={recipe.created} />
        </Fact>
        <Fact name="Completed">
          <Instant at={recipe.completed} />
        </Fact>
        {!recipe.is_superseded && !recipe.is_halted && (
          <Fact name="Took">
            <Elapsed from={recipe.created} to={recipe.completed} />
          </Fact>
        )}
        {recipe.superseded !== null && (
          <Fact name="Superseded">
            <Instant at={recipe.superseded} />
          </Fact>
        )}
      </dl>
    </section>
  );
}
