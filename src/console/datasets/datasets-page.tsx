/** The list of datasets. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { count, counted, noun } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { type Dataset, datasetList } from './queries.ts';

export interface DatasetSearch {
  readonly words?: string;
  readonly order?: string;
}

const COLUMNS: readonly Column<Dataset>[] = [
  {
    ...{ name: 'id', title: 'Dataset', width: '90px', sort: 'id', narrow: 'start', isNumber: true },
    cell: ({ id }) => (
      <Link to="/console/datasets/$id/" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    ...{ name: 'title', title: 'Title', width: 'minmax(140px, 1fr)', sort: 'title', narrow: 'main' },
    isTitle: true,
    cell: ({ title }) => (title === '' ? <span className="soft">untitled</span> : title),
  },
  {
    ...{ name: 'text', title: 'Description', width: 'minmax(140px, 1.5fr)', narrow: 'below' },
    cell: ({ description }) => <span className="soft">{description}</span>,
    hint: ({ description }) => description,
  },
  {
    ...{ name: 'files', title: 'Files', width: '100px', sort: 'files', narrow: 'end', isNumber: true },
    cell: ({ files }) => (
      <>
        {count(files)}
        <span className="narrow-word soft"> {noun(files, 'file')}</span>
      </>
    ),
  },
  {
    ...{ name: 'created', title: 'Created', width: '100px', sort: 'created', isNumber: true },
    narrow: 'below-end',
    cell: ({ created }) => <Ago at={created} />,
  },
];

export function DatasetsPage({ search }: { readonly search: DatasetSearch }) {
  const { words, order = '-id' } = search;
  const navigate = useNavigate();
  const { mayWrite } = useAccount();
  const [view, setView] = useState({ first: 0, last: 0 });
  const query = { order: [order as 'id'], ...(words === undefined ? {} : { keyword: [words] }) };
  const rows = useRecordRows(datasetList(query), view);
  return (
    <div className="page list-page">
      <PageHead
        title="Datasets"
        beside={
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'dataset')}
          </span>
        }
      >
        {mayWrite && (
          <Link className="button" to="/console/datasets/new/">
            New dataset
          </Link>
        )}
      </PageHead>
      <search className="filters">
        <TextFilter
          label="Words"
          value={words}
          placeholder="in title or description"
          set={(value) =>
            void navigate({
              to: '/console/datasets/',
              search: { ...search, words: value === '' ? undefined : value } as DatasetSearch,
            })
          }
        />
      </search>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        words !== undefined ? (
          <Empty title="No dataset has these words">Remove the filter to see all.</Empty>
        ) : (
          <Empty title="There are no datasets yet">
            A dataset names the files that a batch works on.{' '}
            {mayWrite && <Link to="/console/datasets/new/">Create one</Link>}
          </Empty>
        )
      ) : (
        <RecordTable
          label="Datasets"
          rows={rows}
          columns={COLUMNS}
          order={order}
          href={({ id }) => `/console/datasets/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}
