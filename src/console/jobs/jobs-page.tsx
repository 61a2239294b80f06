/** The list of jobs: filtered, sorted, selected, and changed in bulk. */
import { useId, useState } from 'react';
import { useAccount } from '../account.ts';
import { count, counted } from '../format/amounts.ts';
import { ROWS_MAX, useRecordRows } from '../parts/record-rows.ts';
import { RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { isFiltered } from '../search.ts';
import { WatchForm } from '../strikes/watch-form.tsx';
import { Filters } from './filters.tsx';
import { JOB_COLUMNS } from './job-columns.tsx';
import { DEFAULT_ORDER, type JobSearch, jobChoice, jobQuery } from './job-search.ts';
import { jobList } from './queries.ts';
import { type JobAction, type JobRequest, RequestDialog } from './request-dialog.tsx';

export function JobsPage({ search }: { readonly search: JobSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [request, setRequest] = useState<JobRequest>();
  const rows = useRecordRows(jobList(jobQuery(search)), view);
  const { mayWrite } = useAccount();
  const ask = (action: JobAction) => {
    const choice = selected.size > 0 ? { job_ids: [...selected] } : jobChoice(search, Date.now());
    if (choice !== undefined) setRequest({ action, choice });
  };
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Jobs</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'job')}
          {(rows.total ?? 0) > ROWS_MAX && `; the first ${count(ROWS_MAX)} are listed`}
        </span>
        {mayWrite && (
          <Actions
            selectedCount={selected.size}
            canChooseAll={jobChoice(search, 0) !== undefined}
            ask={ask}
            clear={() => setSelected(new Set())}
          />
        )}
      </div>
      <Filters search={search} />
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <NoJobs isFiltered={isFiltered(search)} />
      ) : (
        <RecordTable
          label="Jobs"
          rows={rows}
          columns={JOB_COLUMNS}
          order={search.order ?? DEFAULT_ORDER}
          href={({ id }) => `/console/jobs/${id}/`}
          selection={mayWrite ? { selected, select: setSelected, noun: 'job' } : undefined}
          onView={setView}
        />
      )}
      <RequestDialog request={request} close={() => setRequest(undefined)} />
    </div>
  );
}

interface ActionsProps {
  readonly selectedCount: number;
  /** Whether a request can choose all jobs that the filters find. */
  readonly canChooseAll: boolean;
  readonly ask: (action: JobAction) => void;
  readonly clear: () => void;
}

/** Actions for the selected jobs; if none is selected, for all that the filters find. */
function Actions({ selectedCount, canChooseAll, ask, clear }: ActionsProps) {
  const isSelected = selectedCount > 0;
  const whose = isSelected ? `${count(selectedCount)} selected` : 'all found';
  const isOff = !isSelected && !canChooseAll;
  const reasonId = useId();
  const state = isOff ? { disabled: true, 'aria-describedby': reasonId } : {};
  return (
    <div className="page-actions">
      {isOff && (
        <span id={reasonId} className="soft">
          Select jobs, or filter by status, type, error or time
        </span>
      )}
      {isSelected && (
        <button type="button" className="quiet" onClick={clear}>
          Clear selection
        </button>
      )}
      <button type="button" {...state} onClick={() => ask('requeue')}>
        Requeue {whose}…
      </button>
      <button type="button" {...state} onClick={() => ask('cancel')}>
        Cancel {whose}…
      </button>
    </div>
  );
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No job matches these filters">Remove a filter to see more.</Empty>;
  return (
    <section aria-label="Watch a directory" className="first-step">
      <h2>There are no jobs yet: start a recipe for each file of a directory</h2>
      <WatchForm />
    </section>
  );
}
