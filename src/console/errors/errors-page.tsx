/** Failures in groups, and the registered errors. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { counted } from '../format/amounts.ts';
import { Choice } from '../parts/choice.tsx';
import { Ago } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { wordOf } from '../parts/status.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { FailureEntry } from './failure-groups.tsx';
import {
  type ErrorQuery,
  errorList,
  type FailureRange,
  failureGroups,
  type RegisteredError,
} from './queries.ts';

export interface ErrorSearch {
  readonly range?: FailureRange;
  readonly known?: 'true' | 'false';
  readonly category?: 'SYSTEM' | 'DATA' | 'ALGORITHM';
  readonly type?: string;
  readonly order?: string;
}

const COLUMNS: readonly Column<RegisteredError>[] = [
  {
    ...{ name: 'name', title: 'Error', width: 'minmax(170px, 1fr)', sort: 'name', narrow: 'main' },
    cell: ({ name }) => <span className="mono">{name}</span>,
  },
  {
    ...{ name: 'title', title: 'Title', width: 'minmax(150px, 1fr)', sort: 'title', narrow: 'below' },
    cell: ({ title }) => title,
  },
  {
    ...{ name: 'category', title: 'Category', width: '90px', sort: 'category', narrow: 'start' },
    cell: ({ category }) => wordOf(category),
  },
  {
    ...{ name: 'type', title: 'Job type', width: 'minmax(90px, 0.6fr)', sort: 'job_type_name' },
    cell: ({ job_type_name }) => job_type_name ?? <span className="soft">built in</span>,
  },
  {
    ...{ name: 'retry', title: 'Tried again', width: '90px', narrow: 'end' },
    cell: ({ should_be_retried }) => (
      <>
        <span className="narrow-word">Tried again: </span>
        {should_be_retried ? 'Yes' : 'No'}
      </>
    ),
  },
  {
    ...{ name: 'text', title: 'Meaning', width: 'minmax(160px, 2fr)' },
    cell: ({ description }) => <span className="soft">{description}</span>,
    hint: ({ description }) => description,
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '90px', sort: 'last_modified', isNumber: true },
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];

export function ErrorsPage({ search }: { readonly search: ErrorSearch }) {
  const navigate = useNavigate();
  const set = (name: keyof ErrorSearch, value: string) =>
    void navigate({
      to: '/console/errors/',
      search: { ...search, [name]: value === '' ? undefined : value } as ErrorSearch,
    });
  return (
    <div className="page">
      <PageHead title="Errors" />
      <Groups search={search} set={set} />
      <Registered search={search} set={set} />
    </div>
  );
}

interface PartProps {
  readonly search: ErrorSearch;
  readonly set: (name: keyof ErrorSearch, value: string) => void;
}

function Groups({ search: { range = 'P1D', known }, set }: PartProps) {
  const groups = useQuery(failureGroups(range, known === undefined ? undefined : known === 'true'));
  return (
    <section aria-label="Failures" className="attention">
      <div className="section-head">
        <h2>Failed jobs by type and error</h2>
        <search className="filters end">
          <Choice
            label="Failed"
            value={range === 'P1D' ? undefined : range}
            any="last day"
            choices={[
              ['PT1H', 'last hour'],
              ['P7D', 'last 7 days'],
            ]}
            set={(value) => set('range', value)}
          />
          <Choice
            label="Known"
            value={known}
            choices={[
              ['false', 'not known'],
              ['true', 'known'],
            ]}
            set={(value) => set('known', value)}
          />
        </search>
      </div>
      <Loaded query={groups}>
        {({ count, results }) =>
          results.length === 0 ? (
            <Empty title="No job failed in this time" />
          ) : (
            <>
              <ul>
                {results.map((group) => (
                  <FailureEntry key={`${group.job_type.id} ${group.error?.id}`} group={group} range={range} />
                ))}
              </ul>
              {count > results.length && <p className="soft">The largest of {counted(count, 'group')}.</p>}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function queryOf({ category, type, order = 'name' }: ErrorSearch): ErrorQuery {
  return {
    order: [order as 'name'],
    ...(category === undefined ? {} : { category }),
    ...(type === undefined ? {} : { job_type_name: type }),
  };
}

function Registered({ search, set }: PartProps) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(errorList(queryOf(search)), view);
  return (
    <section aria-label="Registered errors" className="list-section">
      <div className="section-head">
        <h2>Registered errors</h2>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'error')}
        </span>
        <search className="filters end">
          <Choice
            label="Category"
            value={search.category}
            choices={[
              ['SYSTEM', 'System'],
              ['DATA', 'Data'],
              ['ALGORITHM', 'Algorithm'],
            ]}
            set={(value) => set('category', value)}
          />
          <TextFilter
            label="Job type"
            value={search.type}
            placeholder="exact name"
            set={(value) => set('type', value)}
          />
        </search>
      </div>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <Empty title="No error matches these filters">Remove a filter to see more.</Empty>
      ) : (
        <RecordTable
          label="Registered errors"
          rows={rows}
          columns={COLUMNS}
          order={search.order ?? 'name'}
          onView={setView}
        />
      )}
    </section>
  );
}
