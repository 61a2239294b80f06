/** The list of recipes: filtered and sorted. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ObjectFilter } from '../choices/object-choice.tsx';
import { count, counted } from '../format/amounts.ts';
import { Choice } from '../parts/choice.tsx';
import { FilterBar, SetFilter } from '../parts/filter-bar.tsx';
import { ROWS_MAX, useRecordRows } from '../parts/record-rows.ts';
import { RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { isFiltered, RANGE_WORDS, RANGES } from '../search.ts';
import { WatchForm } from '../strikes/watch-form.tsx';
import { recipeList, recipeTypesByName } from './queries.ts';
import { RECIPE_COLUMNS } from './recipe-columns.tsx';
import { DEFAULT_ORDER, type RecipeSearch, recipeQuery, STATES } from './recipe-search.ts';

const STATE_WORDS = {
  open: 'Not completed',
  failed: 'Failed',
  completed: 'Completed',
  superseded: 'Superseded',
} as const;

export function RecipesPage({ search }: { readonly search: RecipeSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(recipeList(recipeQuery(search)), view);
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Recipes</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'recipe')}
          {(rows.total ?? 0) > ROWS_MAX && `; the first ${count(ROWS_MAX)} are listed`}
        </span>
      </div>
      <RecipeFilters search={search} />
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoRecipes isFiltered={isFiltered(search)} />
      ) : (
        <RecordTable
          label="Recipes"
          rows={rows}
          columns={RECIPE_COLUMNS}
          order={search.order ?? DEFAULT_ORDER}
          href={({ id }) => `/console/recipes/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}

function RecipeFilters({ search }: { readonly search: RecipeSearch }) {
  const navigate = useNavigate();
  const set = (name: keyof RecipeSearch, value: string) =>
    void navigate({
      to: '/console/recipes/',
      search: { ...search, [name]: value === '' ? undefined : value },
    });
  return (
    <FilterBar
      isFiltered={isFiltered(search)}
      clear={() => void navigate({ to: '/console/recipes/', search: {} })}
    >
      <ObjectFilter
        label="Type"
        value={search.type}
        source={recipeTypesByName}
        set={(value) => set('type', value)}
      />
      <Choice
        label="State"
        value={search.state}
        choices={STATES.map((state) => [state, STATE_WORDS[state]])}
        set={(value) => set('state', value)}
      />
      <Choice
        label="Changed"
        value={search.changed}
        choices={RANGES.map((range) => [range, RANGE_WORDS[range]])}
        set={(value) => set('changed', value)}
      />
      <SetFilter name="Batch" value={search.batch} remove={() => set('batch', '')} />
      <SetFilter name="Inside recipe" value={search.root} remove={() => set('root', '')} />
    </FilterBar>
  );
}

function NoRecipes({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No recipe matches these filters">Remove a filter to see more.</Empty>;
  return (
    <section aria-label="Watch a directory" className="first-step">
      <h2>There are no recipes yet: start one for each file of a directory</h2>
      <WatchForm />
    </section>
  );
}
