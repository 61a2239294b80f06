/** The list of scans. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { count, counted, noun } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { type Scan, scanList } from './queries.ts';

export interface ScanSearch {
  readonly name?: string;
  readonly order?: string;
}

/** The jobs of both runs of a scan exist from the start. */
export function RunMark({ status }: { readonly status: string }) {
  if (status === 'PENDING') return <StatusMark status={status} text="Not started" />;
  return <StatusMark status={status} />;
}

const COLUMNS: readonly Column<Scan>[] = [
  {
    ...{ name: 'title', title: 'Scan', width: 'minmax(140px, 1.4fr)', sort: 'title', narrow: 'main' },
    cell: ({ id, title, name }) => (
      <Link to="/console/scans/$id/" params={{ id: String(id) }}>
        {title === '' ? name : title}
      </Link>
    ),
  },
  {
    ...{ name: 'name', title: 'Name', width: 'minmax(140px, 1fr)', sort: 'name', narrow: 'below' },
    cell: ({ name }) => <span className="soft">{name}</span>,
  },
  {
    ...{ name: 'dry', title: 'Dry run', width: '130px' },
    cell: ({ dry_run_job }) => <RunMark status={dry_run_job.status} />,
  },
  {
    ...{ name: 'ingest', title: 'Ingest', width: '130px', narrow: 'start' },
    cell: ({ job }) => <RunMark status={job.status} />,
  },
  {
    ...{ name: 'files', title: 'Files matched', width: '120px', sort: 'file_count', isNumber: true },
    narrow: 'end',
    cell: ({ file_count }) =>
      file_count === null ? (
        <span className="soft">not counted</span>
      ) : (
        <>
          {count(file_count)}
          <span className="narrow-word soft"> {noun(file_count, 'file')}</span>
        </>
      ),
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'below-end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];

export function ScansPage({ search }: { readonly search: ScanSearch }) {
  const { name, order = '-last_modified' } = search;
  const navigate = useNavigate();
  const { mayWrite } = useAccount();
  const [view, setView] = useState({ first: 0, last: 0 });
  const query = { order: [order as 'name'], ...(name === undefined ? {} : { name: [name] }) };
  const rows = useRecordRows(scanList(query), view);
  return (
    <div className="page list-page">
      <PageHead
        title="Scans"
        beside={
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'scan')}
          </span>
        }
      >
        {mayWrite && (
          <Link className="button" to="/console/scans/new/">
            New scan
          </Link>
        )}
      </PageHead>
      <search className="filters">
        <TextFilter
          label="Name"
          value={name}
          placeholder="exact name"
          set={(value) =>
            void navigate({
              to: '/console/scans/',
              search: { ...search, name: value === '' ? undefined : value } as ScanSearch,
            })
          }
        />
      </search>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        name !== undefined ? (
          <Empty title="No scan has this name">Remove the filter to see all.</Empty>
        ) : (
          <Empty title="There are no scans yet">
            A scan finds the files that a workspace already holds, and ingests them.{' '}
            {mayWrite && <Link to="/console/scans/new/">Create one</Link>}
          </Empty>
        )
      ) : (
        <RecordTable
          label="Scans"
          rows={rows}
          columns={COLUMNS}
          order={order}
          href={({ id }) => `/console/scans/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}
