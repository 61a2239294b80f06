/**
 * Problems in groups, each with the action that helps: paused or faulty parts of the service, workspaces that no node
 * reaches, jobs that need resources which no node has, failures by type and error.
 */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccount } from '../account.ts';
import { FailureEntry } from '../errors/failure-groups.tsx';
import { failureGroups } from '../errors/queries.ts';
import { counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Ago } from '../parts/instants.tsx';
import { partName } from '../parts/status.tsx';
import { queueClasses } from '../queue/queries.ts';
import { PauseAction } from '../queue/scheduler.tsx';
import { type SystemStatus, systemStatus, unreachedWorkspaces } from './queries.ts';

type Node = SystemStatus['nodes'][number];

interface Matter {
  readonly key: string;
  readonly what: ReactNode;
  readonly detail: ReactNode;
  readonly action?: ReactNode;
}

const FAILURES_MAX = 8;

export function Attention() {
  const failures = useQuery(failureGroups('P1D', false)).data;
  const groups = [
    { title: 'The service and its nodes', matters: useConditions() },
    { title: 'Workspaces out of reach', matters: useUnreached() },
    { title: 'Jobs that no node can run', matters: useUnmet() },
  ].filter(({ matters }) => matters.length > 0);
  const failed = failures?.results ?? [];
  if (groups.length === 0 && failed.length === 0) return null;
  return (
    <section aria-label="Needs attention" className="attention">
      <h2>Needs attention</h2>
      {groups.map(({ title, matters }) => (
        <div key={title} className="attention-group">
          <h3>{title}</h3>
          <ul aria-label={title}>
            {matters.map((matter) => (
              <Entry key={matter.key} matter={matter} />
            ))}
          </ul>
        </div>
      ))}
      {failed.length > 0 && (
        <div className="attention-group">
          <h3>Failed jobs, last day</h3>
          <ul aria-label="Failed jobs">
            {failed.slice(0, FAILURES_MAX).map((group) => (
              <FailureEntry key={`${group.job_type.id} ${group.error?.id}`} group={group} range="P1D" />
            ))}
          </ul>
          {failed.length > FAILURES_MAX && (
            <p>
              <Link to="/console/errors/">All {counted(failures?.count ?? 0, 'group')}</Link>
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function Entry({ matter: { what, detail, action } }: { readonly matter: Matter }) {
  return (
    <li>
      <span aria-hidden="true" className="bad shape">
        ✕
      </span>
      <div>
        <strong>{what}</strong>
        <p>{detail}</p>
      </div>
      {action !== undefined && <div className="matter-actions">{action}</div>}
    </li>
  );
}

const UNMET = 'INVALID_RESOURCES';

/** What helps against a warning of the scheduler: the place of the console, or the page of the guide. */
function WarningHelp({ name }: { readonly name: string }) {
  if (name.startsWith(UNMET)) {
    return (
      <Link className="button" to="/console/job-types/" search={{ keyword: name.slice(UNMET.length) }}>
        Show the job type
      </Link>
    );
  }
  if (name === 'AUTHENTICATION_OFF') {
    return (
      <a className="button" href="/docs/guide/accounts/">
        How to require a login
      </a>
    );
  }
  return (
    <a className="button" href="/docs/guide/operations/#troubleshooting">
      What to do
    </a>
  );
}

/** The reason comes from the workspace: it says what each node found. */
function useUnreached(): readonly Matter[] {
  const found = useQuery(unreachedWorkspaces).data ?? [];
  return found.map(({ id, name, title, reason }) => ({
    key: `workspace ${id}`,
    what: title === '' ? name : `${title} (${name})`,
    detail: sentence(reason),
    action: (
      <Link className="button" to="/console/workspaces/$id/" params={{ id: String(id) }}>
        Show the workspace
      </Link>
    ),
  }));
}

function useUnmet(): readonly Matter[] {
  const classes = useQuery(queueClasses).data?.results ?? [];
  return classes
    .filter(({ unmet }) => unmet !== null)
    .map(({ job_type, count, longest_queued, first_job_id, unmet }) => ({
      key: `class ${first_job_id}`,
      what: `${job_type.title} ${job_type.version}: ${counted(count, 'job')}`,
      detail: (
        <>
          {sentence(unmet)}. First queued <Ago at={longest_queued} />
        </>
      ),
      action: (
        <Link className="button" to="/console/jobs/$id/" params={{ id: String(first_job_id) }}>
          What each node lacks
        </Link>
      ),
    }));
}

function useConditions(): readonly Matter[] {
  const status = useQuery(systemStatus).data;
  // Types whose jobs wait are named below, with what each node lacks.
  const classes = useQuery(queueClasses).data?.results ?? [];
  const waiting = new Set(classes.map(({ job_type }) => `${UNMET}${job_type.name}`));
  const { mayWrite } = useAccount();
  if (status === undefined) return [];
  const matters: Matter[] = [];
  const { scheduler, nodes, dependencies } = status;
  if (scheduler.state.name === 'PAUSED') {
    matters.push({
      key: 'scheduler',
      what: 'The scheduler is paused',
      detail: 'No job is placed on a node.',
      action: mayWrite ? <PauseAction isPaused /> : undefined,
    });
  }
  for (const { name, title, description } of scheduler.warnings) {
    if (waiting.has(name)) continue;
    const action = <WarningHelp name={name} />;
    matters.push({
      key: `scheduler ${name} ${description}`,
      what: sentence(title),
      detail: sentence(description),
      action,
    });
  }
  for (const [name, { OK, errors, warnings }] of Object.entries(dependencies)) {
    // The problems of nodes are listed below, node by node.
    if (name === 'nodes') continue;
    const texts = [...errors, ...warnings].flatMap((one) => Object.values(one));
    if (OK && texts.length === 0) continue;
    matters.push({
      key: name,
      what: `${partName(name)}: not OK`,
      detail: texts.map((text) => sentence(text)).join('; '),
      action: (
        <Link className="button" to="/console/settings/">
          Settings
        </Link>
      ),
    });
  }
  return [...matters, ...nodes.flatMap(mattersOf)];
}

/** A node that is offline, and its errors and warnings. */
function mattersOf({ id, hostname, state, errors, warnings }: Node): readonly Matter[] {
  const matters: Matter[] = [];
  const action = (
    <Link className="button" to="/console/nodes/$id/" params={{ id: String(id) }}>
      Show the node
    </Link>
  );
  if (state.name === 'OFFLINE') {
    matters.push({
      key: `${hostname} offline`,
      what: `Node ${hostname} is offline`,
      detail: sentence(state.description),
      action,
    });
  }
  for (const { name, title, description, started } of [...errors, ...warnings]) {
    matters.push({
      key: `${hostname} ${name}`,
      what: `Node ${hostname}: ${title}`,
      detail: (
        <>
          {sentence(description)} <span className="soft">since</span> <Ago at={started} />
        </>
      ),
      action,
    });
  }
  return matters;
}
