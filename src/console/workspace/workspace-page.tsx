/** One workspace: the place of its files, the nodes that reach it, and what happened to the file at a path. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { sentence } from '../format/sentence.ts';
import { Causes } from '../job/causes.tsx';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark, wordOf } from '../parts/status.tsx';
import { WorkspaceMark } from '../workspaces/workspaces-page.tsx';
import { type WorkspaceDetails, whyOfPath, workspaceDetails } from './queries.ts';

interface Props {
  readonly id: number;
  readonly path: string | undefined;
}

export function WorkspacePage({ id, path }: Props) {
  const workspace = useQuery(workspaceDetails(id));
  return (
    <div className="page">
      <Loaded query={workspace}>{(found) => <WorkspaceView workspace={found} path={path} />}</Loaded>
    </div>
  );
}

interface ViewProps {
  readonly workspace: WorkspaceDetails;
  readonly path: string | undefined;
}

function WorkspaceView({ workspace, path }: ViewProps) {
  const { broker, http } = workspace.configuration;
  return (
    <>
      <div className="page-head">
        <h1 className="foreign">
          <Link to="/console/workspaces/" className="crumb">
            Workspaces
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          {workspace.title}
        </h1>
        <WorkspaceMark isActive={workspace.is_active} isReached={workspace.reason === null} />
      </div>
      {workspace.reason !== null && (
        <div className="failure">
          <strong>{sentence(workspace.reason)}</strong>
          <p>
            Create or mount the place on a host with an agent, or correct the workspace: see{' '}
            <a href="/docs/guide/workspaces/">workspaces</a>.
          </p>
        </div>
      )}
      <section aria-label="Workspace">
        <h2>Workspace</h2>
        <dl className="facts">
          <Fact name="Name">{workspace.name}</Fact>
          {workspace.description !== '' && <Fact name="Description">{workspace.description}</Fact>}
          {Object.entries(broker).map(([name, value]) => (
            <Fact key={name} name={wordOf(name)}>
              {typeof value === 'object' ? JSON.stringify(value) : String(value)}
            </Fact>
          ))}
          <Fact name="Over HTTP">{http === undefined ? 'recorded files only' : String(http)}</Fact>
          {workspace.base_url !== null && <Fact name="Base URL">{workspace.base_url}</Fact>}
          <Fact name="Created">
            <Instant at={workspace.created} />
          </Fact>
          <Fact name="Changed">
            <Instant at={workspace.last_modified} />
          </Fact>
        </dl>
      </section>
      <PathQuestion key={path ?? ''} workspace={workspace} path={path} />
    </>
  );
}

/** The path is in the address, so that a link to the answer can be sent to somebody. */
function PathQuestion({ workspace, path }: ViewProps) {
  const id = useId();
  const [text, setText] = useState(path ?? '');
  const navigate = useNavigate();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const params = { id: String(workspace.id) };
    void navigate({ to: '/console/workspaces/$id/', params, search: { path: text.trim() } });
  };
  return (
    <section aria-label="A file">
      <h2>What became of a file</h2>
      <form className="names-form" onSubmit={submit}>
        <label htmlFor={id} className="soft">
          Its path in the workspace, whether it is there or not.
        </label>
        <div className="one-line">
          <input
            id={id}
            value={text}
            spellCheck={false}
            placeholder="incoming/report.csv"
            onChange={({ target }) => setText(target.value)}
          />
          <button type="submit" className="primary" disabled={text.trim() === ''}>
            Look
          </button>
        </div>
      </form>
      {path !== undefined && <PathAnswer workspace={workspace} path={path} />}
    </section>
  );
}

function PathAnswer({ workspace, path }: { readonly workspace: WorkspaceDetails; readonly path: string }) {
  const why = useQuery(whyOfPath(workspace.name, path));
  const isDirectory = ['host', 'nfs'].includes(workspace.configuration.broker.type);
  return (
    <div className="answer">
      <Loaded query={why}>
        {({ file, ingests, causes }) => (
          <>
            <p>
              {file === null ? (
                'No file is recorded there.'
              ) : (
                <Link to="/console/files/$id/" params={{ id: String(file.id) }}>
                  File {file.id} is recorded there.
                </Link>
              )}
            </p>
            {ingests.length > 0 && (
              <ul className="plain-list">
                {ingests.map(({ id, status }) => (
                  <li key={id}>
                    <Link to="/console/arrivals/$id/" params={{ id: String(id) }}>
                      Arrival {id}
                    </Link>{' '}
                    <StatusMark status={status} />
                  </li>
                ))}
              </ul>
            )}
            <Causes causes={causes} workspace={isDirectory ? workspace : undefined} />
          </>
        )}
      </Loaded>
    </div>
  );
}
