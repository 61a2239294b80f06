/** What somebody should look at: failures by type, dependencies and nodes that report a problem, a paused scheduler. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { counted } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { wordOf } from '../parts/status.tsx';
import { systemStatus, typeStatus } from './queries.ts';

interface Matter {
  readonly key: string;
  readonly what: ReactNode;
  readonly detail: ReactNode;
  readonly action?: ReactNode;
}

const FAILURES_MAX = 8;

export function Attention() {
  const failures = useFailures();
  const conditions = useConditions();
  const matters = [...conditions, ...failures];
  if (matters.length === 0) return null;
  return (
    <section aria-label="Needs attention" className="attention">
      <h2>Needs attention</h2>
      <ul>
        {matters.map(({ key, what, detail, action }) => (
          <li key={key}>
            <span aria-hidden="true" className="bad shape">
              ✕
            </span>
            <div>
              <strong>{what}</strong>
              <p>{detail}</p>
            </div>
            {action}
          </li>
        ))}
      </ul>
    </section>
  );
}

function useFailures(): readonly Matter[] {
  const types = useQuery(typeStatus).data?.results ?? [];
  return types
    .flatMap(({ job_type, job_counts }) =>
      job_counts.filter(({ status }) => status === 'FAILED').map((failed) => ({ job_type, ...failed })),
    )
    .sort((a, b) => b.count - a.count)
    .slice(0, FAILURES_MAX)
    .map(({ job_type, category, count, most_recent }) => {
      const search = {
        ...({ status: 'FAILED', type: job_type.name, changed: 'P1D' } as const),
        ...(category === null ? {} : { category }),
      };
      return {
        key: `${job_type.id} ${category}`,
        what: `${job_type.title} ${job_type.version}: ${counted(count, 'job')} failed`,
        detail: (
          <>
            {category === null ? 'Without an error' : `${wordOf(category)} errors`}, the last{' '}
            <Ago at={most_recent} />
          </>
        ),
        action: (
          <Link className="button" to="/console/jobs/" search={search}>
            Show and requeue
          </Link>
        ),
      };
    });
}

function useConditions(): readonly Matter[] {
  const status = useQuery(systemStatus).data;
  if (status === undefined) return [];
  const matters: Matter[] = [];
  const { scheduler, nodes, dependencies } = status;
  if (scheduler.state.name === 'PAUSED') {
    matters.push({
      key: 'scheduler',
      what: 'The scheduler is paused',
      detail: 'No job is placed on a node.',
    });
  }
  for (const { name, title, description } of scheduler.warnings) {
    matters.push({ key: `scheduler ${name}`, what: title, detail: description });
  }
  for (const [name, { OK, errors, warnings }] of Object.entries(dependencies)) {
    const texts = [...errors, ...warnings].flatMap((one) => Object.values(one));
    if (OK && texts.length === 0) continue;
    matters.push({
      key: name,
      what: `${wordOf(name.toUpperCase())}: not in order`,
      detail: texts.join('; '),
    });
  }
  for (const { hostname, state, errors, warnings } of nodes) {
    const conditions = [...errors, ...warnings];
    if (state.name === 'OFFLINE') {
      matters.push({
        key: `${hostname} offline`,
        what: `Node ${hostname} is offline`,
        detail: state.description,
      });
    }
    for (const { name, title, description } of conditions) {
      matters.push({ key: `${hostname} ${name}`, what: `Node ${hostname}: ${title}`, detail: description });
    }
  }
  return matters;
}
