/** The list of files: sources and products, searched and sorted. */
import { useState } from 'react';
import { NothingArrived } from '../arrivals/nothing-arrived.tsx';
import { count, counted } from '../format/amounts.ts';
import { ROWS_MAX, useRecordRows } from '../parts/record-rows.ts';
import { RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { isFiltered } from '../search.ts';
import { FILE_COLUMNS } from './file-columns.tsx';
import { DEFAULT_ORDER, type FileSearch, fileQuery } from './file-search.ts';
import { Filters } from './filters.tsx';
import { fileList } from './queries.ts';

export function FilesPage({ search }: { readonly search: FileSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(fileList(fileQuery(search)), view);
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Files</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'file')}
          {(rows.total ?? 0) > ROWS_MAX && `; the first ${count(ROWS_MAX)} are listed`}
        </span>
      </div>
      <Filters search={search} />
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoFiles isFound={isFiltered(search)} />
      ) : (
        <RecordTable
          label="Files"
          rows={rows}
          columns={FILE_COLUMNS}
          order={search.order ?? DEFAULT_ORDER}
          href={({ id }) => `/console/files/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}

function NoFiles({ isFound }: { readonly isFound: boolean }) {
  if (isFound) return <Empty title="No file matches these filters">Remove a filter to see more.</Empty>;
  return <NothingArrived title="There are no files yet" />;
}
