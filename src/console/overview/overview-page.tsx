/** The present work, the problems, and the figures of the last hour. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count } from '../format/amounts.ts';
import { Ago } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { LoadChart } from './load-chart.tsx';
import { Nodes } from './nodes.tsx';
import { ingestCount, loadOfHour, queueLengths, queueStatus, strikes, typeStatus } from './queries.ts';

export function OverviewPage() {
  return (
    <div className="page">
      <h1 className="hidden">Overview</h1>
      <Figures />
      <Attention />
      <Activity />
      <div className="columns two">
        <section aria-label="Load">
          <h2>Live jobs, last hour</h2>
          <Loaded query={useQuery(loadOfHour)}>{({ results }) => <LoadChart samples={results} />}</Loaded>
        </section>
        <Waiting />
      </div>
      <Nodes />
      <Strikes />
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: number | undefined;
  readonly tone?: 'bad' | 'busy';
  readonly unit: string;
  readonly status?: 'QUEUED' | 'RUNNING' | 'FAILED' | 'PENDING';
}

/** A number that leads to what it counts. */
function Figure({ name, value, tone, unit, status }: FigureProps) {
  const isToned = tone !== undefined && value !== undefined && value > 0;
  const body = (
    <>
      <span className="figure-name">{name}</span>
      <span className={`figure-value number${isToned ? ` ${tone}` : ''}`}>
        {value === undefined ? '–' : count(value)}
      </span>
      <span className="soft">{unit}</span>
    </>
  );
  if (status === undefined) return <div className="figure">{body}</div>;
  const search = status === 'FAILED' ? ({ status, changed: 'P1D' } as const) : { status };
  return (
    <Link className="figure" to="/console/jobs/" search={search}>
      {body}
    </Link>
  );
}

function Figures() {
  const arriving = useQuery(ingestCount('TRANSFERRING'));
  const lengths = useQuery(queueLengths).data?.queue_lengths;
  const types = useQuery(typeStatus).data?.results;
  const failed = types
    ?.flatMap(({ job_counts }) => job_counts)
    .filter(({ status }) => status === 'FAILED')
    .reduce((sum, one) => sum + one.count, 0);
  return (
    <section className="figures" aria-label="Now">
      <Figure name="Arriving" value={arriving.data} unit="files, found within a day" />
      <Figure name="Waiting for input" value={lengths?.PENDING} unit="jobs" status="PENDING" />
      <Figure name="Queued" value={lengths?.QUEUED} unit="jobs" status="QUEUED" />
      <Figure name="Running" value={lengths?.RUNNING} unit="jobs" tone="busy" status="RUNNING" />
      <Figure name="Failed" value={failed} unit="jobs, within a day" tone="bad" status="FAILED" />
    </section>
  );
}

function Waiting() {
  return (
    <section aria-label="Queue">
      <h2>Queue by job type</h2>
      <Loaded query={useQuery(queueStatus)}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="Nothing waits" />
          ) : (
            <Rows label="Queued jobs" heads={['Type', 'Jobs', 'Waiting since']}>
              {results.map(({ job_type, count: waiting, longest_queued }) => (
                <tr key={job_type.id}>
                  <td>
                    <Link to="/console/jobs/" search={{ status: 'QUEUED', type: job_type.name }}>
                      {job_type.title}
                    </Link>{' '}
                    <span className="soft">{job_type.version}</span>
                  </td>
                  <td className="number">{count(waiting)}</td>
                  <td className="number">
                    <Ago at={longest_queued} />
                  </td>
                </tr>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}

function Strikes() {
  return (
    <section aria-label="Strikes">
      <h2>Strikes</h2>
      <Loaded query={useQuery(strikes)}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No directory is watched yet">
              A strike watches a workspace and starts recipes for its files:{' '}
              <a href="/docs/guide/strikes/">how to create one</a>.
            </Empty>
          ) : (
            <Rows label="List of strikes" heads={['Strike', 'State', 'Changed']}>
              {results.map(({ id, title, job, is_paused, last_modified }) => (
                <tr key={id}>
                  <td>{title}</td>
                  <td>
                    {is_paused ? (
                      <StatusMark status="PAUSED" />
                    ) : (
                      <StatusMark status={job?.status ?? 'PENDING'} />
                    )}
                  </td>
                  <td className="number">
                    <Ago at={last_modified} />
                  </td>
                </tr>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}
