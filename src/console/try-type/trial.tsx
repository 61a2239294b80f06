/** The job of a trial while it runs: its state, its log, and its products. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fileDetails } from '../file/queries.ts';
import { bytes } from '../format/amounts.ts';
import { Why } from '../job/causes.tsx';
import { ErrorNote, type Job } from '../job/facts.tsx';
import { LogView, type Stream } from '../job/log-view.tsx';
import { jobDetails } from '../job/queries.ts';
import { Elapsed } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';

/** limit: products that are shown. */
const PRODUCTS_MAX = 50;

export function Trial({ id }: { readonly id: number }) {
  const job = useQuery(jobDetails(id));
  return <Loaded query={job}>{(found) => <TrialView job={found} />}</Loaded>;
}

function TrialView({ job }: { readonly job: Job }) {
  const { id, status, execution, error } = job;
  const [stream, chooseStream] = useState<Stream>();
  return (
    <>
      <section aria-label="Trial">
        <div className="section-head">
          <h2>
            <Link to="/console/jobs/$id/" params={{ id: String(id) }}>
              Job {id}
            </Link>
          </h2>
          <StatusMark status={status} />
          {job.started !== null && (
            <span className="soft number">
              <Elapsed from={job.started} to={job.ended} />
            </span>
          )}
        </div>
        {error !== null && <ErrorNote error={error} />}
        {status !== 'COMPLETED' && <Why id={id} />}
      </section>
      {execution !== null && (
        <LogView
          key={execution.id}
          executionId={execution.id}
          status={execution.status}
          chosen={stream}
          choose={chooseStream}
        />
      )}
      {status === 'COMPLETED' && <Results job={job} />}
      {(status === 'FAILED' || status === 'CANCELED') && (
        <section aria-label="Products">
          <h2>Products</h2>
          <p className="soft">None: files are stored as products only when the job completes.</p>
        </section>
      )}
    </>
  );
}

function Results({ job: { output } }: { readonly job: Job }) {
  const { files = {}, json = {} } = output as Output;
  const made = Object.entries(files).flatMap(([name, ids]) => ids.map((id) => ({ name, id })));
  const values = Object.entries(json);
  return (
    <section aria-label="Products">
      <h2>Products</h2>
      {made.length + values.length === 0 && <p className="soft">It made nothing.</p>}
      {made.length > 0 && <Products made={made.slice(0, PRODUCTS_MAX)} />}
      {made.length > PRODUCTS_MAX && <p className="soft">{made.length - PRODUCTS_MAX} more are not shown.</p>}
      {values.length > 0 && (
        <pre className="command" tabIndex={0}>
          {JSON.stringify(json, null, 2)}
        </pre>
      )}
    </section>
  );
}

interface Output {
  readonly files?: Readonly<Record<string, readonly number[]>>;
  readonly json?: Readonly<Record<string, unknown>>;
}

interface Product {
  readonly name: string;
  readonly id: number;
}

function Products({ made }: { readonly made: readonly Product[] }) {
  const files = useQueries({ queries: made.map(({ id }) => fileDetails(id)) });
  return (
    <Rows label="List of products" heads={['Output', 'File', 'Size']}>
      {made.map(({ name, id }, at) => (
        <tr key={id}>
          <td>{name}</td>
          <td>
            <Link to="/console/files/$id/" params={{ id: String(id) }}>
              {files[at]?.data?.file_name ?? `file ${id}`}
            </Link>
          </td>
          <td className="number">{files[at]?.data ? bytes(files[at].data.file_size) : '–'}</td>
        </tr>
      ))}
    </Rows>
  );
}
