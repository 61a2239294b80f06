/**
 * Problems in groups, each with the action that helps: paused or faulty parts of the service, workspaces that no node
 * reaches, jobs that need resources which no node has, failures by type and error.
 */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAccount } from '../account.ts';
import { FailureEntry } from '../errors/failure-groups.tsx';
import type { FailureGroup } from '../errors/queries.ts';
import { counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { DrainActions } from '../nodes/drain.tsx';
import { Ago } from '../parts/instants.tsx';
import { partName, SHAPES, type Tone } from '../parts/status.tsx';
import { PauseAction } from '../queue/scheduler.tsx';
import { type Overview, overview, type SystemStatus, systemStatus } from './queries.ts';

type Node = SystemStatus['nodes'][number];

interface Matter {
  readonly key: string;
  readonly what: ReactNode;
  readonly detail: ReactNode;
  readonly action?: ReactNode;
  /** `wait`: a person wanted it so. A fault by default. */
  readonly tone?: Tone;
}

const FAILURES_MAX = 8;
const keyOf = ({ job_type, error }: FailureGroup): string => `${job_type.id} ${error?.id}`;

export function Attention() {
  const found = useQuery(overview).data;
  const status = useQuery(systemStatus).data;
  const [noted, setNoted] = useState<FailureGroup>();
  const { mayWrite } = useAccount();
  const groups = [
    { title: 'The service and its nodes', matters: conditions(status, found, mayWrite) },
    { title: 'Workspaces out of reach', matters: (found?.unreached_workspaces.results ?? []).map(unreached) },
    { title: 'Jobs that no node can run', matters: (found?.unmet_classes ?? []).map(unmetClass) },
  ].filter(({ matters }) => matters.length > 0);
  const { results: failed = [], count: failedCount = 0 } = found?.failures ?? {};
  const listed = failed.slice(0, FAILURES_MAX);
  // A group leaves the list once somebody marks it as known, but not while a note on it is being written.
  const isListed = noted === undefined || listed.some((group) => keyOf(group) === keyOf(noted));
  const kept = isListed ? undefined : noted;
  const shown = kept === undefined ? listed : [...listed, kept];
  if (groups.length === 0 && shown.length === 0) return null;
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
      {shown.length > 0 && (
        <div className="attention-group">
          <h3>Failed jobs, last day</h3>
          <ul aria-label="Failed jobs">
            {shown.map((group) => (
              <FailureEntry
                key={keyOf(group)}
                {...{ group, isKept: group === kept }}
                range="P1D"
                onNote={(isOpen) => setNoted(isOpen ? group : undefined)}
              />
            ))}
          </ul>
          {failed.length > FAILURES_MAX && (
            <p>
              <Link to="/console/errors/">All {counted(failedCount, 'group')}</Link>
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function Entry({ matter: { what, detail, action, tone = 'bad' } }: { readonly matter: Matter }) {
  return (
    <li>
      <span aria-hidden="true" className={`${tone} shape`}>
        {SHAPES[tone]}
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
function unreached({ id, name, title, reason }: Overview['unreached_workspaces']['results'][number]): Matter {
  return {
    key: `workspace ${id}`,
    what: title === '' ? name : `${title} (${name})`,
    detail: sentence(reason),
    action: (
      <Link className="button" to="/console/workspaces/$id/" params={{ id: String(id) }}>
        Show the workspace
      </Link>
    ),
  };
}

function unmetClass(one: Overview['unmet_classes'][number]): Matter {
  const { job_type, count, longest_queued, first_job_id, unmet } = one;
  return {
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
  };
}

/** It was wanted, and may have been forgotten. */
function pausedNode(node: Overview['paused_nodes']['results'][number], mayWrite: boolean): Matter {
  const { id, hostname, pause_reason, last_modified } = node;
  return {
    key: `${hostname} paused`,
    tone: 'wait',
    what: `Node ${hostname} is paused`,
    detail: (
      <>
        Takes no new jobs; what runs there continues.{' '}
        {pause_reason === null ? 'No reason was given' : `Reason: ${pause_reason}`}, changed{' '}
        <Ago at={last_modified} />
      </>
    ),
    action: mayWrite ? (
      <DrainActions id={id} hostname={hostname} isPaused isActive runningCount={0} />
    ) : (
      <NodeLink id={id} />
    ),
  };
}

function NodeLink({ id }: { readonly id: number }) {
  return (
    <Link className="button" to="/console/nodes/$id/" params={{ id: String(id) }}>
      Show the node
    </Link>
  );
}

function conditions(
  status: SystemStatus | undefined,
  found: Overview | undefined,
  mayWrite: boolean,
): readonly Matter[] {
  const paused = (found?.paused_nodes.results ?? []).map((node) => pausedNode(node, mayWrite));
  if (status === undefined) return paused;
  // Types whose jobs wait are named below, with what each node lacks.
  const waiting = new Set(found?.unmet_classes.map(({ job_type }) => `${UNMET}${job_type.name}`));
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
  return [...matters, ...nodes.flatMap(mattersOf), ...paused];
}

/** A node that is offline, and its errors and warnings. */
function mattersOf({ id, hostname, state, errors, warnings }: Node): readonly Matter[] {
  const matters: Matter[] = [];
  const action = <NodeLink id={id} />;
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
