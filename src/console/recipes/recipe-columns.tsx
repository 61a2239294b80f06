/** The columns of the list of recipes. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { count } from '../format/amounts.ts';
import { Ago, Elapsed } from '../parts/instants.tsx';
import { Progress } from '../parts/progress.tsx';
import type { Column } from '../parts/record-table.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Sort } from './recipe-search.ts';

export type Recipe = components['schemas']['Recipe'];

/** The state of a recipe in one word. */
export const stateOf = ({ is_superseded, state }: Recipe): string => (is_superseded ? 'SUPERSEDED' : state);

export const RECIPE_COLUMNS: readonly (Column<Recipe> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'state', title: 'State', width: '120px', narrow: 'start' },
    cell: (recipe) => <StatusMark status={stateOf(recipe)} />,
  },
  {
    ...{ name: 'id', title: 'Recipe', width: '90px', sort: 'id', narrow: 'end', isNumber: true },
    cell: ({ id }) => (
      <Link to="/console/recipes/$id/" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    ...{ name: 'type', title: 'Type', width: 'minmax(160px, 1.4fr)', sort: 'recipe_type', narrow: 'main' },
    isTitle: true,
    cell: ({ recipe_type: { title }, recipe_type_rev: { revision_num } }) => (
      <>
        {title} <span className="soft">revision {revision_num}</span>
      </>
    ),
    hint: ({ recipe_type: { name } }) => name,
  },
  {
    ...{ name: 'inside', title: 'Inside', width: 'minmax(150px, 1fr)' },
    hint: ({ recipe }) => (recipe === null ? undefined : `${recipe.recipe_type.title} ${recipe.id}`),
    cell: ({ recipe }) =>
      recipe === null ? (
        <span className="soft">–</span>
      ) : (
        <Link to="/console/recipes/$id/" params={{ id: String(recipe.id) }}>
          {recipe.recipe_type.title} {recipe.id}
        </Link>
      ),
  },
  {
    ...{ name: 'jobs', title: 'Jobs', width: 'minmax(150px, 1fr)', sort: 'jobs_total', narrow: 'below' },
    cell: ({ jobs_total, jobs_completed, jobs_failed }) => (
      <Progress total={jobs_total} done={jobs_completed} failed={jobs_failed} noun="job" />
    ),
  },
  {
    ...{ name: 'failed', title: 'Failed', width: '70px', sort: 'jobs_failed', isNumber: true },
    cell: ({ jobs_failed }) => <span className={jobs_failed > 0 ? 'bad' : 'soft'}>{count(jobs_failed)}</span>,
  },
  {
    ...{ name: 'took', title: 'Duration', width: '100px', isNumber: true },
    cell: (recipe) =>
      recipe.is_halted ? (
        <span className="soft">–</span>
      ) : (
        <Elapsed from={recipe.created} to={recipe.completed} />
      ),
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];
