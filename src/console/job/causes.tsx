/** Why a job is as it is: the causes that the service gives, with the amounts that it compared, and what helps. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { resource } from '../format/amounts.ts';
import { Instant } from '../parts/instants.tsx';
import { Loaded } from '../parts/states.tsx';
import { jobWhy } from './queries.ts';

type Cause = components['schemas']['Cause'];

/** Those of a job that has not completed. */
export function Why({ id }: { readonly id: number }) {
  const why = useQuery(jobWhy(id));
  return <Loaded query={why}>{({ causes }) => <Causes causes={causes} />}</Loaded>;
}

export function Causes({ causes }: { readonly causes: readonly Cause[] }) {
  if (causes.length === 0) return null;
  return (
    <section aria-label="Why" className="why">
      <h2>Why</h2>
      <ol className="causes">
        {causes.map((cause) => (
          <li key={`${cause.name} ${cause.reason}`}>
            <p>
              {cause.reason}
              {cause.since !== null && (
                <span className="soft">
                  {' '}
                  since <Instant at={cause.since} />
                </span>
              )}
            </p>
            {cause.help !== null && <p className="help">{cause.help}</p>}
            <Amounts amounts={cause.amounts} />
            <Subjects subjects={cause.subjects} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Amounts({ amounts }: { readonly amounts: Cause['amounts'] }) {
  if (amounts.length === 0) return null;
  return (
    <ul className="counts">
      {amounts.map(({ name, node, wanted, there }) => (
        <li key={`${name} ${node}`}>
          {node === null ? '' : `${node}, `}
          {name === 'tries' ? (
            <span className="number">
              try {wanted} of {there}
            </span>
          ) : (
            <>
              {name}: <span className="number">{resource(name, wanted)}</span> wanted,{' '}
              <span className="number">{resource(name, there)}</span> there
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Subjects({ subjects }: { readonly subjects: Cause['subjects'] }) {
  const jobs = subjects.filter(({ kind, id }) => kind === 'job' && id !== null);
  if (jobs.length === 0) return null;
  return (
    <ul className="counts">
      {jobs.map(({ id }) => (
        <li key={id}>
          <Link to="/console/jobs/$id/" params={{ id: String(id) }}>
            Job {id}
          </Link>
        </li>
      ))}
    </ul>
  );
}
