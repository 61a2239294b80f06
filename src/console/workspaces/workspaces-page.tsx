/** The list of workspaces: the places of files, and whether nodes reach them. Staff create some here. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Field, problemAt } from '../parts/form.tsx';
import { Ago } from '../parts/instants.tsx';
import { PAGE, type RecordSource, useRecordRows } from '../parts/record-rows.ts';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { WatchForm } from '../strikes/watch-form.tsx';
import { unreachedWorkspaces, type Workspace } from '../workspace/queries.ts';
import { DEFAULT_ORDER, type Sort, type WorkspaceSearch } from './workspace-search.ts';

type WorkspaceColumn = Column<Workspace> & { readonly sort?: Sort };

/** `reasons`: what nodes found at each workspace that none of them reaches, by its id. */
const stateColumn = (reasons: ReadonlyMap<number, string>): WorkspaceColumn => ({
  ...{ name: 'state', title: 'State', width: '130px', sort: 'is_active', narrow: 'start' },
  cell: ({ id, is_active }) => <WorkspaceMark isActive={is_active} isReached={!reasons.has(id)} />,
  hint: ({ id }) => sentence(reasons.get(id)),
});

const COLUMNS: readonly WorkspaceColumn[] = [
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

interface MarkProps {
  readonly isActive: boolean;
  readonly isReached: boolean;
}

export function WorkspaceMark({ isActive, isReached }: MarkProps) {
  if (!isReached) return <StatusMark status="FAILED" text="Out of reach" />;
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
  const { mayWrite } = useAccount();
  const unreached = useQuery(unreachedWorkspaces).data;
  const columns = useMemo(
    () => [stateColumn(new Map((unreached ?? []).map(({ id, reason }) => [id, reason ?? '']))), ...COLUMNS],
    [unreached],
  );
  return (
    <div className="page list-page">
      <div className="page-head">
        <h1>Workspaces</h1>
        <span className="soft number" role="status">
          {rows.total === undefined ? '' : counted(rows.total, 'workspace')}
        </span>
        {mayWrite && (
          <div className="page-actions">
            <CreateAction />
          </div>
        )}
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
          columns={columns}
          order={order}
          href={({ id }) => `/console/workspaces/${id}/`}
          onView={setView}
        />
      )}
    </div>
  );
}

function CreateAction() {
  return (
    <ActionDialog
      button="New workspace…"
      title="New workspace"
      text={
        <>
          A directory on the hosts of the agents. The guide says how to create workspaces for{' '}
          <a href="/docs/guide/workspaces/">NFS exports and buckets</a>.
        </>
      }
      confirm="Create the workspace"
      run={(fields) =>
        client.post('/v6/workspaces/', {
          body: {
            title: String(fields.get('title') ?? ''),
            configuration: { broker: { type: 'host', host_path: String(fields.get('directory') ?? '') } },
          },
        })
      }
      changes={['workspaces']}
    >
      {(error) => (
        <>
          <Field label="Title" hint="Its name is made from the title." problem={problemAt(error, 'title')}>
            {(ids) => <input {...ids} name="title" required maxLength={50} autoComplete="off" />}
          </Field>
          <Field
            label="Directory"
            hint="An absolute path, such as /data/archive."
            problem={problemAt(error, 'configuration.broker.host_path')}
          >
            {(ids) => <input {...ids} name="directory" className="mono" required spellCheck={false} />}
          </Field>
        </>
      )}
    </ActionDialog>
  );
}
