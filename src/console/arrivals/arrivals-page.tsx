/** The list of arrivals: each file that was found, and what happened to it. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count, counted } from '../format/amounts.ts';
import { ROWS_MAX, useRecordRows } from '../parts/record-rows.ts';
import { RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { isFiltered } from '../search.ts';
import { ARRIVAL_COLUMNS } from './arrival-columns.tsx';
import { type ArrivalSearch, DEFAULT_ORDER, ingestQuery } from './arrival-search.ts';
import { Filters } from './filters.tsx';
import { NamesDialog } from './names-dialog.tsx';
import { NothingArrived } from './nothing-arrived.tsx';
import { arrivalList } from './queries.ts';

export function ArrivalsPage({ search }: { readonly search: ArrivalSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const [isTrying, setIsTrying] = useState(false);
  const rows = useRecordRows(arrivalList(ingestQuery(search)), view);
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Arrivals</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'file')}
          {(rows.total ?? 0) > ROWS_MAX && `; the first ${count(ROWS_MAX)} are listed`}
        </span>
        <div className="page-actions">
          <button type="button" onClick={() => setIsTrying(true)}>
            Try names…
          </button>
          <Link className="button" to="/console/strikes/">
            Strikes
          </Link>
        </div>
      </div>
      <Filters search={search} />
      <NamesDialog isOpen={isTrying} close={() => setIsTrying(false)} strike={search.strike} />
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoArrivals isFound={isFiltered(search)} />
      ) : (
        <RecordTable
          label="Arrivals"
          rows={rows}
          columns={ARRIVAL_COLUMNS}
          order={search.order ?? DEFAULT_ORDER}
          href={({ id }) => `/console/arrivals/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}

function NoArrivals({ isFound }: { readonly isFound: boolean }) {
  if (isFound) return <Empty title="No arrival matches these filters">Remove a filter to see more.</Empty>;
  return <NothingArrived title="No file has arrived yet" />;
}
