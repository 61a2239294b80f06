/** The list of batches. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { count, counted } from '../format/amounts.ts';
import { Choice } from '../parts/choice.tsx';
import { Ago } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Progress } from '../parts/progress.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { type Batch, type BatchQuery, batchList } from './queries.ts';

export interface BatchSearch {
  readonly state?: 'creating' | 'created';
  readonly superseded?: 'true' | 'false';
  readonly order?: string;
}

const COLUMNS: readonly Column<Batch>[] = [
  {
    ...{ name: 'state', title: 'State', width: '120px', sort: 'status', narrow: 'start' },
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    ...{ name: 'id', title: 'Batch', width: '80px', sort: 'id', narrow: 'end', isNumber: true },
    cell: ({ id }) => (
      <Link to="/console/batches/$id/" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    ...{ name: 'title', title: 'Title', width: 'minmax(120px, 1fr)', sort: 'title', narrow: 'main' },
    isTitle: true,
    cell: ({ title }) => (title === '' ? <span className="soft">untitled</span> : title),
    hint: ({ title }) => title,
  },
  {
    ...{ name: 'type', title: 'Recipe type', width: 'minmax(120px, 1fr)', sort: 'recipe_type__title' },
    cell: ({ recipe_type, recipe_type_rev }) => (
      <>
        {recipe_type.title} <span className="soft">revision {recipe_type_rev.revision_num}</span>
      </>
    ),
  },
  {
    ...{ name: 'recipes', title: 'Recipes', width: '180px', narrow: 'below' },
    cell: ({ recipes_completed, recipes_total }) => (
      <Progress total={recipes_total} done={recipes_completed} noun="recipe" />
    ),
  },
  {
    ...{ name: 'failed', title: 'Failed jobs', width: '90px', isNumber: true },
    cell: ({ jobs_failed }) => <span className={jobs_failed > 0 ? 'bad' : 'soft'}>{count(jobs_failed)}</span>,
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];

function queryOf({ state, superseded, order = '-id' }: BatchSearch): BatchQuery {
  return {
    order: [order as '-id'],
    ...(state === undefined ? {} : { is_creation_done: state === 'created' }),
    ...(superseded === undefined ? {} : { is_superseded: superseded === 'true' }),
  };
}

export function BatchesPage({ search }: { readonly search: BatchSearch }) {
  const navigate = useNavigate();
  const { mayWrite } = useAccount();
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(batchList(queryOf(search)), view);
  const isFiltered = search.state !== undefined || search.superseded !== undefined;
  const set = (name: keyof BatchSearch, value: string) =>
    void navigate({
      to: '/console/batches/',
      search: { ...search, [name]: value === '' ? undefined : value } as BatchSearch,
    });
  return (
    <div className="page list-page">
      <PageHead
        title="Batches"
        beside={
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'batch', 'batches')}
          </span>
        }
      >
        {mayWrite && (
          <Link className="button" to="/console/batches/new/">
            New batch
          </Link>
        )}
      </PageHead>
      <search className="filters">
        <Choice
          label="State"
          value={search.state}
          choices={[
            ['creating', 'Creating recipes'],
            ['created', 'All recipes created'],
          ]}
          set={(value) => set('state', value)}
        />
        <Choice
          label="Superseded"
          value={search.superseded}
          choices={[
            ['false', 'No'],
            ['true', 'Yes'],
          ]}
          set={(value) => set('superseded', value)}
        />
      </search>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoBatches isFiltered={isFiltered} />
      ) : (
        <RecordTable
          label="Batches"
          rows={rows}
          columns={COLUMNS}
          order={search.order ?? '-id'}
          href={({ id }) => `/console/batches/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}

function NoBatches({ isFiltered }: { readonly isFiltered: boolean }) {
  const { mayWrite } = useAccount();
  if (isFiltered) return <Empty title="No batch matches these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty title="There are no batches yet">
      A batch runs one recipe for each member of a dataset.{' '}
      {mayWrite && <Link to="/console/batches/new/">Create one</Link>}
    </Empty>
  );
}
