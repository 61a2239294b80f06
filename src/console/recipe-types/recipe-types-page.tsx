/** The list of recipe types. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { counted } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { TypeFilters } from '../type-pages/type-filters.tsx';
import { DEFAULT_ORDER, type Sort, type TypeSearch } from '../type-pages/type-search.ts';
import { type RecipeType, recipeTypeList } from './queries.ts';

export function RecipeTypesPage({ search }: { readonly search: TypeSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(recipeTypeList(search), view);
  const { mayWrite } = useAccount();
  const isFiltered = search.keyword !== undefined || search.active !== undefined;
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Recipe types</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'recipe type')}
        </span>
        {mayWrite && (
          <div className="page-actions">
            <Link className="button" to="/console/new-recipe-type/">
              New recipe type
            </Link>
          </div>
        )}
      </div>
      <TypeFilters path="/console/recipe-types/" search={search} />
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoTypes isFiltered={isFiltered} />
      ) : (
        <RecordTable
          label="Recipe types"
          rows={rows}
          columns={COLUMNS}
          order={search.order ?? DEFAULT_ORDER}
          href={({ name }) => `/console/recipe-types/${encodeURIComponent(name)}/`}
          onView={setView}
        />
      )}
    </div>
  );
}

function NoTypes({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="No recipe type matches these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty title="There are no recipe types yet">
      A recipe type says which jobs run on a file, in which order, and under which conditions.{' '}
      <Link to="/console/new-recipe-type/">Create the first one.</Link>
    </Empty>
  );
}

const COLUMNS: readonly (Column<RecipeType> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'title', title: 'Recipe type', width: 'minmax(180px, 1.4fr)', sort: 'title', narrow: 'main' },
    cell: ({ name, title }) => (
      <Link to="/console/recipe-types/$name/" params={{ name }}>
        {title}
      </Link>
    ),
    hint: ({ description }) => description,
  },
  {
    ...{ name: 'name', title: 'Name', width: 'minmax(140px, 1fr)', sort: 'name', narrow: 'below' },
    cell: ({ name }) => <span className="soft">{name}</span>,
  },
  {
    ...{ name: 'jobs', title: 'Job types', width: 'minmax(160px, 1.6fr)' },
    cell: ({ job_types }) => job_types.map(({ name, version }) => `${name} ${version}`).join(', '),
  },
  {
    ...{ name: 'use', title: 'Use', width: '110px', narrow: 'start' },
    cell: ({ is_active }) => (is_active ? 'Active' : <span className="soft">Deprecated</span>),
  },
  {
    ...{ name: 'revision', title: 'Revision', width: '90px', sort: 'revision_num', isNumber: true },
    narrow: 'end',
    cell: ({ revision_num }) => (
      <>
        <span className="narrow-word soft">revision </span>
        {revision_num}
      </>
    ),
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];
