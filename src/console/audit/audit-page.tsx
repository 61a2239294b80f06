/** Who changed what, and when: every call that changes something, for staff. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { components, QueryOf } from '../../client/operations.ts';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { Choice } from '../parts/choice.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PAGE, type RecordSource, useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { TextFilter } from '../parts/text-filter.tsx';

type Entry = components['schemas']['AuditEntry'];
type AuditQuery = Omit<QueryOf<'get', '/v6/audit/'>, 'page' | 'page_size' | 'fields'>;

export interface AuditSearch {
  readonly who?: string;
  readonly method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly route?: string;
  readonly range?: 'P1D' | 'P31D';
}

const FAILED_FROM = 400;

const entries = (filters: AuditQuery): RecordSource<Entry> => ({
  key: ['audit', filters],
  kinds: [],
  read: (page, signal) => client.get('/v6/audit/', { query: { ...filters, page, page_size: PAGE }, signal }),
});

const COLUMNS: readonly Column<Entry>[] = [
  {
    ...{ name: 'at', title: 'At', width: '130px', sort: 'at', narrow: 'start', isNumber: true },
    cell: ({ at }) => <Instant at={at} />,
  },
  {
    ...{ name: 'who', title: 'Who', width: 'minmax(130px, 0.9fr)', narrow: 'main' },
    cell: ({ username, known_by, token_id }) => (
      <>
        {username}{' '}
        {known_by !== 'none' && (
          <span className="soft">{known_by === 'token' ? `token ${token_id}` : known_by}</span>
        )}
      </>
    ),
  },
  { ...{ name: 'method', title: 'Call', width: '70px' }, cell: ({ method }) => method },
  {
    ...{ name: 'path', title: 'Path', width: 'minmax(180px, 1.6fr)', narrow: 'below' },
    cell: ({ method, path }) => (
      <span className="mono">
        <span className="narrow-word">{method} </span>
        {path}
      </span>
    ),
    hint: ({ path, route }) => `${path} (${route})`,
  },
  {
    ...{ name: 'status', title: 'Answer', width: '90px', narrow: 'end' },
    cell: ({ status }) =>
      status === null ? (
        <span className="bad">interrupted</span>
      ) : (
        <span className={`number${status >= FAILED_FROM ? ' bad' : ''}`}>{status}</span>
      ),
  },
  {
    ...{ name: 'made', title: 'Id', width: '70px', isNumber: true },
    cell: ({ record_id }) => record_id ?? '',
  },
  {
    ...{ name: 'from', title: 'From', width: '120px', narrow: 'below-end' },
    cell: ({ address }) => <span className="soft">{address}</span>,
  },
  {
    ...{ name: 'request', title: 'Request', width: 'minmax(90px, 0.8fr)' },
    cell: ({ request_id }) => <span className="mono soft">{request_id}</span>,
    hint: ({ request_id }) => request_id,
  },
];

export function AuditPage({ search }: { readonly search: AuditSearch }) {
  const { mayWrite } = useAccount();
  if (!mayWrite) {
    return (
      <div className="page">
        <PageHead title="Audit" />
        <Empty title="Only staff can see the audit">Your account may read everything else.</Empty>
      </div>
    );
  }
  return <AuditList search={search} />;
}

function AuditList({ search }: { readonly search: AuditSearch }) {
  const { who, method, route, range } = search;
  const navigate = useNavigate();
  const [view, setView] = useState({ first: 0, last: 0 });
  const query: AuditQuery = {
    order: ['-at'],
    ...(who === undefined ? {} : { username: [who] }),
    ...(method === undefined ? {} : { method: [method] }),
    ...(route === undefined ? {} : { route: [route] }),
    ...(range === undefined ? {} : { started: range }),
  };
  const rows = useRecordRows(entries(query), view);
  const set = (name: keyof AuditSearch, value: string) =>
    void navigate({
      to: '/console/audit/',
      search: { ...search, [name]: value === '' ? undefined : value } as AuditSearch,
    });
  return (
    <div className="page list-page">
      <PageHead
        title="Audit"
        beside={
          <span className="soft number" role="status">
            {rows.total === undefined ? '' : counted(rows.total, 'call')}
          </span>
        }
      />
      <search className="filters">
        <TextFilter label="Who" value={who} placeholder="account" set={(value) => set('who', value)} />
        <Choice
          label="Call"
          value={method}
          choices={(['POST', 'PATCH', 'PUT', 'DELETE'] as const).map((one) => [one, one])}
          set={(value) => set('method', value)}
        />
        <TextFilter
          label="Route"
          value={route}
          placeholder="/v6/jobs/cancel/"
          set={(value) => set('route', value)}
        />
        <Choice
          label="Range"
          value={range}
          any="last 7 days"
          choices={[
            ['P1D', 'last day'],
            ['P31D', 'last 31 days'],
          ]}
          set={(value) => set('range', value)}
        />
      </search>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <Empty title="No call matches">Calls that only read are not recorded.</Empty>
      ) : (
        <RecordTable label="Audit" rows={rows} columns={COLUMNS} order="-at" onView={setView} />
      )}
    </div>
  );
}
