/** The present work, the problems, and the figures of the last hour. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Ago } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { WatchForm } from '../strikes/watch-form.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { LoadChart } from './load-chart.tsx';
import { Nodes } from './nodes.tsx';
import { hasFiles, loadOfHour, overview } from './queries.ts';

export interface OverviewSearch {
  /** How long throughput and lag are shown. */
  readonly range?: 'PT1H' | 'P1D' | undefined;
}

export function OverviewPage({ range = 'PT1H' }: OverviewSearch) {
  return (
    <div className="page">
      <h1 className="hidden">Overview</h1>
      <Figures />
      <Attention />
      <FirstStep />
      <Activity range={range} />
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
  /** What is counted, in the singular. */
  readonly noun: string;
  readonly when?: string;
}

/** A number, inside the link to what it counts. */
function Figure({ name, value, tone, noun, when = '' }: FigureProps) {
  const isToned = tone !== undefined && value !== undefined && value > 0;
  return (
    <>
      <span className="figure-name">{name}</span>
      <span className={`figure-value number${isToned ? ` ${tone}` : ''}`}>
        {value === undefined ? '–' : count(value)}
      </span>
      <span className="soft">
        {value === 1 ? noun : `${noun}s`}
        {when}
      </span>
    </>
  );
}

function Figures() {
  const found = useQuery(overview).data;
  const lengths = found?.queue_lengths;
  return (
    <section className="figures" aria-label="Now">
      <Link className="figure" to="/console/arrivals/" search={{ status: 'TRANSFERRING', changed: 'P1D' }}>
        <Figure name="Arriving" value={found?.arriving_count} noun="file" when=", found within a day" />
      </Link>
      <Link className="figure" to="/console/jobs/" search={{ waits_for: 'input' }}>
        <Figure name="Waiting for input" value={lengths?.PENDING} noun="job" />
      </Link>
      <Link className="figure" to="/console/jobs/" search={{ status: 'QUEUED' }}>
        <Figure name="Queued" value={lengths?.QUEUED} noun="job" />
      </Link>
      <Link className="figure" to="/console/jobs/" search={{ status: 'RUNNING' }}>
        <Figure name="Running" value={lengths?.RUNNING} noun="job" tone="busy" />
      </Link>
      <Link className="figure" to="/console/jobs/" search={{ status: 'FAILED', changed: 'P1D' }}>
        <Figure name="Failed" value={found?.failed_count} noun="job" when=", within a day" tone="bad" />
      </Link>
    </section>
  );
}

function Waiting() {
  return (
    <section aria-label="Queue">
      <h2>Queue by job type</h2>
      <Loaded query={useQuery(overview)}>
        {({ queue: { results } }) =>
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

/** In a new service, a directory to watch is what there is to do. It comes late, and must not move buttons above it. */
function FirstStep() {
  const isUnwatched = useQuery(overview).data?.strikes.count === 0;
  const isNew = useQuery({ ...hasFiles, enabled: isUnwatched }).data === false;
  if (!isUnwatched || !isNew) return null;
  return (
    <section aria-label="Watch a directory" className="first-step">
      <h2>No file has arrived yet: watch a directory</h2>
      <WatchForm />
    </section>
  );
}

function Strikes() {
  return (
    <section aria-label="Strikes">
      <h2>
        <Link to="/console/strikes/">Strikes</Link>
      </h2>
      <Loaded query={useQuery(overview)}>
        {({ strikes: { results } }) =>
          results.length === 0 ? (
            <Empty title="No directory is watched">
              <Link to="/console/strikes/">Watch one</Link>, and a recipe starts for each of its files.
            </Empty>
          ) : (
            <Rows label="List of strikes" heads={['Strike', 'State', 'Changed']}>
              {results.map((strike) => (
                <tr key={strike.id}>
                  <td>
                    <Link to="/console/strikes/$id/" params={{ id: String(strike.id) }}>
                      {strike.title}
                    </Link>
                  </td>
                  <td>
                    <StatusMark status={strike.state} />
                    {strike.state === 'WAITING' && <p className="soft">{sentence(strike.reason)}</p>}
                  </td>
                  <td className="number">
                    <Ago at={strike.last_modified} />
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
