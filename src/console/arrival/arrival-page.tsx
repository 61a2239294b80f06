/** One arrival: the file that was found, what happened to it and why, and the jobs that it started. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { Finder } from '../arrivals/arrival-columns.tsx';
import { bytes } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Causes } from '../job/causes.tsx';
import { Fact } from '../parts/fact.tsx';
import { Elapsed, Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { whyOfPath } from '../workspace/queries.ts';
import { arrivalDetails, arrivalJobs } from './queries.ts';

type Ingest = components['schemas']['IngestDetails'];

export function ArrivalPage({ id }: { readonly id: number }) {
  const ingest = useQuery(arrivalDetails(id));
  return (
    <div className="page">
      <Loaded query={ingest}>{(found) => <ArrivalView ingest={found} />}</Loaded>
    </div>
  );
}

function ArrivalView({ ingest }: { readonly ingest: Ingest }) {
  const { status, reason, source_file: file } = ingest;
  return (
    <>
      <div className="page-head">
        <h1 className="foreign">
          <Link to="/console/arrivals/" className="crumb">
            Arrivals
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          {ingest.file_name}
        </h1>
        <StatusMark status={status} />
        {file !== null && (
          <div className="page-actions">
            <Link className="button" to="/console/files/$id/" params={{ id: String(file.id) }}>
              File
            </Link>
          </div>
        )}
      </div>
      {status !== 'INGESTED' && <Why ingest={ingest} />}
      {status === 'INGESTED' && reason !== null && <p className="note">{sentence(reason)}</p>}
      <div className="columns">
        <Found ingest={ingest} />
        <Progress ingest={ingest} />
      </div>
      <Jobs id={ingest.id} />
    </>
  );
}

function Why({ ingest }: { readonly ingest: Ingest }) {
  const why = useQuery(whyOfPath(ingest.workspace.name, ingest.file_path));
  return <Loaded query={why}>{({ causes }) => <Causes causes={causes} />}</Loaded>;
}

function Found({ ingest }: { readonly ingest: Ingest }) {
  return (
    <section aria-label="Found">
      <h2>Found</h2>
      <dl className="facts">
        <Fact name="By">
          <Finder strike={ingest.strike} scan={ingest.scan} />
        </Fact>
        <Fact name="In">
          {ingest.workspace.name} <span className="soft">{ingest.file_path}</span>
        </Fact>
        <Fact name="Goes to">
          {ingest.new_workspace === null ? (
            'stays where it is'
          ) : (
            <>
              {ingest.new_workspace.name} <span className="soft">{ingest.new_file_path}</span>
            </>
          )}
        </Fact>
        <Fact name="Size">{bytes(ingest.file_size)}</Fact>
        <Fact name="Media type">{ingest.media_type === '' ? '–' : ingest.media_type}</Fact>
        <Fact name="Data types">
          {ingest.data_type_tags.length === 0 ? '–' : ingest.data_type_tags.join(', ')}
        </Fact>
      </dl>
    </section>
  );
}

function Progress({ ingest }: { readonly ingest: Ingest }) {
  return (
    <section aria-label="Times">
      <h2>Times</h2>
      <dl className="facts">
        <Fact name="Found">
          <Instant at={ingest.created} />
        </Fact>
        <Fact name="Arrived">
          <Instant at={ingest.transfer_ended} />
        </Fact>
        <Fact name="Ingest began">
          <Instant at={ingest.ingest_started} />
        </Fact>
        <Fact name="Ingest ended">
          <Instant at={ingest.ingest_ended} />
        </Fact>
        <Fact name="Took">
          <Elapsed from={ingest.ingest_started} to={ingest.ingest_ended} />
        </Fact>
        <Fact name="Changed">
          <Instant at={ingest.last_modified} />
        </Fact>
      </dl>
    </section>
  );
}

function Jobs({ id }: { readonly id: number }) {
  const jobs = useQuery(arrivalJobs(id));
  return (
    <section aria-label="Jobs">
      <h2>Jobs</h2>
      <Loaded query={jobs}>
        {({ results }) =>
          results.length === 0 ? (
            <p className="soft">It has started no job yet.</p>
          ) : (
            <Rows
              label="List of jobs"
              isStacked
              heads={['Job', 'Status', 'Type', 'Started', 'Took', 'Reason']}
            >
              {results.map((job) => (
                <tr key={job.id}>
                  <td className="number">
                    <Link to="/console/jobs/$id/" params={{ id: String(job.id) }}>
                      {job.id}
                    </Link>
                  </td>
                  <td>
                    <StatusMark status={job.status} />
                  </td>
                  <td>{job.job_type.title}</td>
                  <td className="number">
                    <Instant at={job.started} />
                  </td>
                  <td className="number">
                    <Elapsed from={job.started} to={job.ended} />
                  </td>
                  <td>{sentence(job.reason) ?? job.error?.title ?? ''}</td>
                </tr>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}
