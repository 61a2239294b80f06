/** The list of strikes, and whether each watches. */
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { counted } from '../format/amounts.ts';
import { useRecordRows } from '../parts/record-rows.ts';
import { RecordTable } from '../parts/record-table.tsx';
import { Failure } from '../parts/states.tsx';
import { strikeList } from './queries.ts';
import { STRIKE_COLUMNS } from './strike-columns.tsx';
import { DEFAULT_ORDER, type StrikeSearch } from './strike-search.ts';
import { WatchDialog, WatchForm } from './watch-form.tsx';

export function StrikesPage({ search: { order = DEFAULT_ORDER } }: { readonly search: StrikeSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const [isWatching, setIsWatching] = useState(false);
  const rows = useRecordRows(strikeList(order), view);
  const { mayWrite } = useAccount();
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Strikes</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'strike')}
        </span>
        {mayWrite && (rows.total ?? 0) > 0 && (
          <div className="page-actions">
            <button type="button" onClick={() => setIsWatching(true)}>
              Watch a directory…
            </button>
          </div>
        )}
      </div>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <section aria-label="Watch a directory" className="first-step">
          <h2>Nothing is watched yet: watch a directory</h2>
          <WatchForm />
        </section>
      ) : (
        <RecordTable
          label="Strikes"
          rows={rows}
          columns={STRIKE_COLUMNS}
          order={order}
          href={({ id }) => `/console/strikes/${id}/`}
          onView={setView}
        />
      )}
      <WatchDialog isOpen={isWatching} close={() => setIsWatching(false)} />
    </div>
  );
}
