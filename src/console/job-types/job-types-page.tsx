/** The list of job types: each version of a name is one. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { counted } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { TypeFilters } from '../type-pages/type-filters.tsx';
import { DEFAULT_ORDER, type Sort, type TypeSearch } from '../type-pages/type-search.ts';
import { type JobType, jobTypeList } from './queries.ts';

export function JobTypesPage({ search }: { readonly search: TypeSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(jobTypeList(search), view);
  const { mayWrite } = useAccount();
  const isFiltered = search.keyword !== undefined || search.active !== undefined;
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Job types</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'job type')}
        </span>
        {mayWrite && (
          <div className="page-actions">
            <Link className="button" to="/console/new-job-type/">
              New job type
            </Link>
          </div>
        )}
      </div>
      <TypeFilters path="/console/job-types/" search={search} />
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <Empty title={isFiltered ? 'No job type matches these filters' : 'There are no job types yet'}>
          {isFiltered ? (
            'Remove a filter to see more.'
          ) : (
            <>
              A job type says which program runs, what it takes and what it makes.{' '}
              <Link to="/console/new-job-type/">Create the first one.</Link>
            </>
          )}
        </Empty>
      ) : (
        <RecordTable
          label="Job types"
          rows={rows}
          columns={COLUMNS}
          order={search.order ?? DEFAULT_ORDER}
          href={({ name, version }) =>
            `/console/job-types/${encodeURIComponent(name)}/${encodeURIComponent(version)}/`
          }
          onView={setView}
        />
      )}
    </div>
  );
}

/** Whether jobs of the type are made and placed. */
export function JobTypeUse({ type }: { readonly type: Pick<JobType, 'is_active' | 'is_paused'> }) {
  if (!type.is_active) return <span className="soft">Deprecated</span>;
  return type.is_paused ? <StatusMark status="PAUSED" /> : 'Active';
}

const COLUMNS: readonly (Column<JobType> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'title', title: 'Job type', width: 'minmax(180px, 1.4fr)', sort: 'title', narrow: 'main' },
    cell: ({ name, version, title }) => (
      <Link to="/console/job-types/$name/$version/" params={{ name, version }}>
        {title}
      </Link>
    ),
    hint: ({ description }) => description,
  },
  {
    ...{ name: 'name', title: 'Name', width: 'minmax(160px, 1.2fr)', sort: 'name', narrow: 'below' },
    cell: ({ name, version }) => (
      <span className="soft">
        {name} {version}
      </span>
    ),
  },
  {
    ...{ name: 'image', title: 'Image', width: 'minmax(140px, 1.2fr)' },
    cell: ({ container_image }) => <span className="mono">{container_image}</span>,
    hint: ({ container_image }) => container_image,
  },
  {
    ...{ name: 'use', title: 'Use', width: '110px', narrow: 'start' },
    cell: (type) => <JobTypeUse type={type} />,
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
