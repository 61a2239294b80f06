/** One job: its state with the causes, its times, its log, and its actions. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { sentence } from '../format/sentence.ts';
import { type JobRequest, RequestDialog } from '../jobs/request-dialog.tsx';
import { Elapsed, Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Why } from './causes.tsx';
import { Command, ErrorNote, FileFacts, type Job, JobFacts, Resources } from './facts.tsx';
import { LogView, type Stream } from './log-view.tsx';
import { Phases } from './phases.tsx';
import { jobDetails, jobExecutions } from './queries.ts';

interface Props {
  readonly id: number;
  /** The stream of the log that the address holds. */
  readonly log: Stream | undefined;
}

export function JobPage({ id, log }: Props) {
  const job = useQuery(jobDetails(id));
  return (
    <div className="page">
      <Loaded query={job}>{(found) => <JobView job={found} log={log} />}</Loaded>
    </div>
  );
}

function JobView({ job, log }: Pick<Props, 'log'> & { readonly job: Job }) {
  const [request, setRequest] = useState<JobRequest>();
  const { mayWrite } = useAccount();
  const { execution, id, status } = job;
  const actions = mayWrite ? job.actions : [];
  return (
    <>
      <div className="page-head">
        <h1>
          <Link to="/console/jobs/" className="crumb">
            Jobs
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          <bdi>{job.job_type.title}</bdi> <span className="head-id">{id}</span>
        </h1>
        <StatusMark status={status} />
        <div className="page-actions">
          {actions.map((action) => (
            <button
              key={action}
              type="button"
              onClick={() => setRequest({ action, choice: { job_ids: [id] } })}
            >
              {action === 'requeue' ? 'Requeue…' : 'Cancel…'}
            </button>
          ))}
        </div>
      </div>
      {job.superseded_by_job !== null && (
        <p className="note">
          Superseded by{' '}
          <Link to="/console/jobs/$id/" params={{ id: String(job.superseded_by_job.id) }}>
            job {job.superseded_by_job.id}
          </Link>
          .
        </p>
      )}
      {job.error !== null && <ErrorNote error={job.error} />}
      {status !== 'COMPLETED' && <Why id={id} />}
      {execution !== null && (
        <section aria-label="Phases">
          <div className="section-head">
            <h2>Execution {execution.exe_num}</h2>
            <a href="/docs/guide/container-contract/#phases">What the phases are</a>
          </div>
          <Phases execution={execution} />
        </section>
      )}
      {execution !== null && <JobLog key={execution.id} jobId={id} execution={execution} log={log} />}
      <div className="columns">
        <JobFacts job={job} />
        <Resources job={job} />
        <FileFacts job={job} />
      </div>
      {execution !== null && <Command execution={execution} />}
      {job.num_exes > 1 && <Executions id={id} />}
      <RequestDialog request={request} close={() => setRequest(undefined)} />
    </>
  );
}

interface LogProps extends Pick<Props, 'log'> {
  readonly jobId: number;
  readonly execution: NonNullable<Job['execution']>;
}

function JobLog({ jobId, execution, log }: LogProps) {
  const navigate = useNavigate();
  const choose = (stream: Stream) =>
    void navigate({
      ...{ to: '/console/jobs/$id/', params: { id: String(jobId) }, search: { log: stream } },
      ...{ replace: true, resetScroll: false },
    });
  return <LogView executionId={execution.id} status={execution.status} chosen={log} choose={choose} />;
}

function Executions({ id }: { readonly id: number }) {
  const executions = useQuery(jobExecutions(id));
  return (
    <section aria-label="Executions">
      <h2>Executions</h2>
      <Loaded query={executions}>
        {({ results }) => (
          <Rows
            label="List of executions"
            isStacked
            heads={['Execution', 'Status', 'Node', 'Started', 'Took', 'Reason']}
          >
            {results.map((one) => (
              <tr key={one.id}>
                <td className="number">{one.exe_num}</td>
                <td>
                  <StatusMark status={one.status} />
                </td>
                <td>{one.node?.hostname ?? '–'}</td>
                <td className="number">
                  <Instant at={one.started} />
                </td>
                <td className="number">
                  <Elapsed from={one.started} to={one.ended} />
                </td>
                <td>{sentence(one.reason) ?? one.error?.title ?? ''}</td>
              </tr>
            ))}
          </Rows>
        )}
      </Loaded>
    </section>
  );
}
