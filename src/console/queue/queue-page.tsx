/** The queue: the jobs that wait, the resources that they need, and what each node lacks for them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { count, counted, resource, resourceWord } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Causes } from '../job/causes.tsx';
import { jobWhy } from '../job/queries.ts';
import { Ago } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { CLASSES_MAX, type QueueClass, queueClasses, queueLengths, schedulerSettings } from './queries.ts';
import { SchedulerActions } from './scheduler.tsx';

export function QueuePage() {
  const settings = useQuery(schedulerSettings).data;
  const { mayWrite } = useAccount();
  return (
    <div className="page">
      <PageHead
        title="Queue"
        beside={
          settings !== undefined && (
            <StatusMark
              status={settings.is_paused ? 'PAUSED' : 'READY'}
              text={settings.is_paused ? 'Scheduler paused' : 'Scheduler places jobs'}
            />
          )
        }
      >
        {mayWrite && settings !== undefined && (
          <SchedulerActions key={settings.object_version} settings={settings} />
        )}
      </PageHead>
      <Wanted />
      <Classes />
      {settings !== undefined && (
        <p className="soft">
          Jobs of one priority are placed {settings.queue_mode === 'FIFO' ? 'oldest' : 'newest'} first. Level
          of logs: {settings.system_logging_level}.
        </p>
      )}
    </div>
  );
}

/** Counts by state, each with the search of the list that shows its jobs. */
const STATES = [
  ['RUNNING', 'Running', { status: 'RUNNING' }],
  ['QUEUED', 'Queued', { status: 'QUEUED' }],
  // Without the jobs of scans that nobody has started, which are pending as well.
  ['PENDING', 'Waiting for input', { waits_for: 'input' }],
] as const;
const NAMES = ['cpus', 'mem', 'disk', 'gpus'] as const;

/** The resources of all queued and running jobs together, beside those of the cluster. */
function Wanted() {
  return (
    <section aria-label="Requested and capacity">
      <h2>Requested resources and capacity</h2>
      <Loaded query={useQuery(queueLengths)}>
        {({ queue_lengths, total_resources, cluster_resources }) => {
          const all = [cluster_resources, ...STATES.map(([state]) => total_resources[state])];
          const names = NAMES.filter((name) => all.some((amounts) => (amounts[name] ?? 0) > 0));
          return (
            <Rows
              label="Requested resources"
              isStacked
              heads={['', 'Jobs', ...names.map((name) => sentence(resourceWord(name)))]}
            >
              {STATES.map(([state, title, search]) => (
                <tr key={state}>
                  <th scope="row">
                    <Link to="/console/jobs/" search={search}>
                      {title}
                    </Link>
                  </th>
                  <td className="number">{count(queue_lengths[state])}</td>
                  {names.map((name) => (
                    <td key={name} className="number">
                      {resource(name, total_resources[state][name] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
              <tr>
                <th scope="row">Capacity of the cluster</th>
                <td />
                {names.map((name) => (
                  <td key={name} className="number">
                    {resource(name, cluster_resources[name] ?? 0)}
                  </td>
                ))}
              </tr>
            </Rows>
          );
        }}
      </Loaded>
    </section>
  );
}

function Classes() {
  return (
    <section aria-label="Classes">
      <h2>Queued jobs by class</h2>
      <Loaded query={useQuery(queueClasses)}>
        {({ count: total, results }) =>
          results.length === 0 ? (
            <Empty title="Nothing waits for a node" />
          ) : (
            <>
              <p className="soft">
                Jobs of one class have the same type, resources, executor and workspaces: to the scheduler
                they are alike.
              </p>
              <Rows label="Classes of jobs" isStacked heads={['Type', 'Jobs', 'Waiting since', 'Needs', '']}>
                {results.map((one) => (
                  <ClassRows key={`${one.first_job_id}`} one={one} />
                ))}
              </Rows>
              {total > CLASSES_MAX && (
                <p className="soft">
                  The first {count(CLASSES_MAX)} of {counted(total, 'class', 'classes')}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function ClassRows({ one }: { readonly one: QueueClass }) {
  const [isOpen, setIsOpen] = useState(false);
  const { job_type, count: waiting, longest_queued, resources, executor, workspaces, unmet } = one;
  const needs = Object.entries(resources).filter(([, amount]) => amount > 0);
  return (
    <>
      <tr className={unmet === null ? undefined : 'continued'}>
        <td>
          <Link to="/console/jobs/" search={{ status: 'QUEUED', type: job_type.name }}>
            {job_type.title}
          </Link>{' '}
          <span className="soft">{job_type.version}</span>
          {job_type.is_paused && <div className="soft">Its type is paused</div>}
        </td>
        <td className="number">{count(waiting)}</td>
        <td className="number">
          <Ago at={longest_queued} />
        </td>
        <td>
          {needs.map(([name, amount]) => `${resourceWord(name)} ${resource(name, amount)}`).join(', ')}
          <div className="soft cut">
            {executor}
            {workspaces.length > 0 && `; reaches ${workspaces.join(', ')}`}
          </div>
        </td>
        <td>
          <div className="row-actions">
            <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              Why
            </button>
          </div>
        </td>
      </tr>
      {unmet !== null && (
        <tr>
          <td colSpan={5} className="bad more">
            {sentence(unmet)}
          </td>
        </tr>
      )}
      {isOpen && (
        <tr>
          <td colSpan={5} className="opened">
            <FirstJob id={one.first_job_id} />
          </td>
        </tr>
      )}
    </>
  );
}

/** What each node lacks for the first job of a scheduling class. */
function FirstJob({ id }: { readonly id: number }) {
  return (
    <Loaded query={useQuery(jobWhy(id))}>
      {({ causes, status }) => (
        <>
          <p>
            First in its class:{' '}
            <Link to="/console/jobs/$id/" params={{ id: String(id) }}>
              job {id}
            </Link>
            {causes.length === 0 && `, ${status.toLowerCase()}`}
          </p>
          <Causes causes={causes} />
        </>
      )}
    </Loaded>
  );
}
