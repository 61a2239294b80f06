/** The list of workspaces: the places of files, and whether they are active. */

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { PAGE, type RecordSource, useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { WatchForm } from '../strikes/watch-form.tsx';
import type { Workspace } from '../workspace/queries.ts';
import { DEFAULT_ORDER, type Sort, type WorkspaceSearch } from './workspace-search.ts';

const COLUMNS: readonly (Column<Workspace> & { readonly sort?: Sort })[] = [
  {
    ...{ name: 'state', title: 'State', width: '110px', sort: 'is_active', narrow: 'start' },
    cell: ({ is_active }) => <ActiveMark isActive={is_active} />,
  },
  {
    ...{ name: 'title', title: 'Workspace', width: 'minmax(180px, 1.4fr)', sort: 'title', narrow: 'main' },
    cell: ({ id, title }) => (
      <Link to="/console/workspaces/$id/" params={{ id: String(id) }}>
        {title}
      </Link>
    ),
    hint: ({ title }) => title,
  },
  {
    ...{ name: 'name', title: 'Name', width: 'minmax(120px, 1fr)', sort: 'name', narrow: 'below' },
    cell: ({ name }) => <span className="soft">{name}</span>,
    hint: ({ name }) => name,
  },
  {
    ...{ name: 'description', title: 'Description', width: 'minmax(120px, 2fr)' },
    cell: ({ description }) => <span className="soft">{description}</span>,
    hint: ({ description }) => description,
  },
  {
    ...{ name: 'changed', title: 'Changed', width: '100px', sort: 'last_modified', isNumber: true },
    narrow: 'end',
    cell: ({ last_modified }) => <Ago at={last_modified} />,
  },
];

export function ActiveMark({ isActive }: { readonly isActive: boolean }) {
  return <StatusMark status={isActive ? 'READY' : 'PAUSED'} text={isActive ? 'Active' : 'Not active'} />;
}

const workspaceList = (order: Sort | `-${Sort}`): RecordSource<Workspace> => ({
  key: ['workspaces', order],
  kinds: ['workspace'],
  read: (page, signal) =>
    client.get('/v6/workspaces/', { query: { order: [order], page, page_size: PAGE }, signal }),
});

export function WorkspacesPage({ search: { order = DEFAULT_ORDER } }: { readonly search: WorkspaceSearch }) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const rows = useRecordRows(workspaceList(order), view);
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Workspaces</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'workspace')}
        </span>
      </div>
      {rows.error !== undefined && <Failure error={rows.error} retry={rows.retry} />}
      {rows.total === 0 ? (
        <section aria-label="Watch a directory" className="first-step">
          <h2>There is no workspace yet: watch a directory</h2>
          <WatchForm />
        </section>
      ) : (
        <RecordTable
          label="Workspaces"
          rows={rows}
          columns={COLUMNS}
          order={order}
          href={({ id }) => `/console/workspaces/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}
