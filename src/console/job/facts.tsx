/** The inputs of a job, its requested and used resources, and how its task was run. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { FileLinks } from '../files/file-links.tsx';
import { bytes, resource, resourceWord } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { duration } from '../format/times.ts';
import { Fact } from '../parts/fact.tsx';
import { Elapsed, Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { jobInputs, jobProducts } from './queries.ts';

export type Job = components['schemas']['JobDetails'];
type Execution = components['schemas']['JobExecutionDetails'];

export function JobFacts({ job }: { readonly job: Job }) {
  const { job_type, recipe, batch, node, num_exes, max_tries } = job;
  return (
    <section aria-label="Facts">
      <h2>Job</h2>
      <dl className="facts">
        <Fact name="Type">
          <Link
            to="/console/job-types/$name/$version/"
            params={{ name: job_type.name, version: job_type.version }}
          >
            {job_type.title}
          </Link>{' '}
          <span className="soft">
            {job_type.name} {job_type.version}, revision {job.job_type_rev.revision_num}
          </span>
        </Fact>
        {recipe !== null && (
          <Fact name="Recipe">
            <Link to="/console/recipes/$id/" params={{ id: String(recipe.id) }}>
              {recipe.recipe_type.title} {recipe.id}
            </Link>
          </Fact>
        )}
        {batch !== null && (
          <Fact name="Batch">
            <Link to="/console/batches/$id/" params={{ id: String(batch.id) }}>
              {batch.title}
            </Link>
          </Fact>
        )}
        <Fact name="Node">{node?.hostname ?? '–'}</Fact>
        <Fact name="Tries">
          {num_exes}
          {max_tries > 0 && ` of ${max_tries}`}
        </Fact>
        <Fact name="Priority">{job.configuration.priority ?? '–'}</Fact>
        <Fact name="Created">
          <Instant at={job.created} />
        </Fact>
        <Fact name="Queued">
          <Instant at={job.queued} />
        </Fact>
        <Fact name="Started">
          <Instant at={job.started} />
        </Fact>
        <Fact name="Ended">
          <Instant at={job.ended} />
        </Fact>
        <Fact name="Took">
          <Elapsed from={job.started} to={job.ended} />
        </Fact>
      </dl>
    </section>
  );
}

/** Requested resources beside the used ones, if these were measured. */
export function Resources({ job }: { readonly job: Job }) {
  const used = job.execution?.used ?? null;
  // Such as no GPUs.
  const asked = Object.entries(job.resources.resources).filter(([, amount]) => amount > 0);
  return (
    <section aria-label="Resources">
      <h2>Resources</h2>
      {asked.length === 0 && used === null ? (
        <p className="soft">No resources requested.</p>
      ) : (
        <Rows label="Amounts" heads={['', 'Requested', 'Used']}>
          {asked.map(([name, amount]) => (
            <tr key={name}>
              <th scope="row">{sentence(resourceWord(name))}</th>
              <td className="number">{resource(name, amount)}</td>
              <td className="number">{used === null ? '' : usedOf(name, used)}</td>
            </tr>
          ))}
          {used !== null &&
            TRANSFERS.map(([title, field]) => (
              <tr key={field}>
                <th scope="row">{title}</th>
                <td />
                <td className="number">{used[field] === null ? '' : bytes(used[field])}</td>
              </tr>
            ))}
        </Rows>
      )}
    </section>
  );
}

type Used = NonNullable<Execution['used']>;

const TRANSFERS = [
  ['Read', 'read_bytes'],
  ['Written', 'written_bytes'],
] as const;

/** Empty: it was not measured. */
function usedOf(name: string, { memory_bytes, processor_seconds, disk_bytes }: Used): string {
  if (name === 'mem' && memory_bytes !== null) return bytes(memory_bytes);
  if (name === 'disk' && disk_bytes !== null) return bytes(disk_bytes);
  if (name === 'cpus' && processor_seconds !== null) {
    return `${duration(processor_seconds * 1_000)} of processor time`;
  }
  return '';
}

/** What the job was given, and what it made: files by the names of its inputs and outputs, and values. */
export function FileFacts({ job }: { readonly job: Job }) {
  const { files, json } = job.input;
  const products = Object.entries(job.output.files);
  const given = useQuery({ ...jobInputs(job.id), enabled: Object.keys(files).length > 0 });
  const made = useQuery({ ...jobProducts(job.id), enabled: products.length > 0 });
  const values = Object.entries(json);
  const isEmpty = Object.keys(files).length + values.length + products.length === 0;
  return (
    <section aria-label="Files">
      <h2>Input and products</h2>
      <dl className="facts">
        {Object.entries(files).map(([name, ids]) => (
          <Fact key={name} name={`Input ${name}`}>
            <FileLinks ids={ids} known={given.data?.results} />
          </Fact>
        ))}
        {values.map(([name, value]) => (
          <Fact key={name} name={`Input ${name}`}>
            <code>{JSON.stringify(value)}</code>
          </Fact>
        ))}
        {products.map(([name, ids]) => (
          <Fact key={name} name={`Product ${name}`}>
            <FileLinks ids={ids} known={made.data?.results} />
          </Fact>
        ))}
      </dl>
      {isEmpty && <p className="soft">None.</p>}
    </section>
  );
}

/** The service has already masked secrets. */
export function Command({ execution }: { readonly execution: Execution }) {
  const main = execution.configuration.tasks.find(({ type }) => type === 'main');
  if (main === undefined) return null;
  return (
    <section aria-label="Command">
      <h2>Command</h2>
      <pre className="command" tabIndex={0}>
        {main.args === '' ? '(no arguments)' : main.args}
      </pre>
      <details>
        <summary>Environment</summary>
        <dl className="facts mono">
          {Object.entries(main.env_vars).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      </details>
    </section>
  );
}

/** The kind of failure. The first cause says what happened this time. */
export function ErrorNote({ error }: { readonly error: components['schemas']['RegisteredError'] }) {
  return (
    <div className="failure">
      <strong>{error.title}</strong>{' '}
      <span className="soft">
        {error.category.toLowerCase()} error, {error.name}
      </span>
      <p>{error.description}</p>
    </div>
  );
}
