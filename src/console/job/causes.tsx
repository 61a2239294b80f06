/** The causes of a job's state, as the service gives them: with the amounts that it compared, and what helps. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../client/operations.ts';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { resource, resourceWord } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { wholeSeconds } from '../format/times.ts';
import { type JobRequest, RequestDialog } from '../jobs/request-dialog.tsx';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Instant } from '../parts/instants.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Watchable, WatchDialog } from '../strikes/watch-form.tsx';
import { jobWhy } from './queries.ts';

type Cause = components['schemas']['Cause'];
type Action = NonNullable<Cause['action']>;

const RECIPE_WHY = /^\/v6\/recipes\/(\d+)\/why\/$/;
/** The first parts of the keys of queries that are out of date after an action of a cause. */
const CHANGED = ['job', 'path', 'queue', 'scheduler', 'status', 'strike', 'strikes'];

/** The causes of a job that has not completed. */
export function Why({ id }: { readonly id: number }) {
  const why = useQuery(jobWhy(id));
  return <Loaded query={why}>{({ causes }) => <Causes causes={causes} />}</Loaded>;
}

interface CausesProps {
  readonly causes: readonly Cause[];
  /** The workspace that they are about, if one can watch it. */
  readonly workspace?: Watchable | undefined;
}

export function Causes({ causes, workspace }: CausesProps) {
  if (causes.length === 0) return null;
  return (
    <section aria-label="Why" className="why">
      <h2>Why</h2>
      <ol className="causes">
        {causes.map((cause) => (
          <li key={`${cause.name} ${cause.reason}`}>
            <p>
              {sentence(cause.reason)}
              {cause.since !== null && (
                <span className="soft">
                  {' '}
                  (since <Instant at={cause.since} />)
                </span>
              )}
            </p>
            {cause.help !== null && <p className="help">{sentence(cause.help)}</p>}
            <Amounts amounts={cause.amounts} />
            <Subjects subjects={cause.subjects} />
            <Help cause={cause} workspace={workspace} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface HelpProps extends Pick<CausesProps, 'workspace'> {
  readonly cause: Cause;
}

/** The help of a cause as a link or a button. */
function Help({ cause: { name, help, action }, workspace }: HelpProps) {
  const { mayWrite } = useAccount();
  if (name === 'nothing-looks') {
    if (workspace !== undefined && mayWrite) return <Watch workspace={workspace} />;
    return (
      <Link className="button" to="/console/strikes/">
        Show the strikes
      </Link>
    );
  }
  if (action === null) return null;
  const [, recipe] = RECIPE_WHY.exec(action.path) ?? [];
  if (recipe !== undefined) {
    return (
      <Link className="button" to="/console/recipes/$id/" params={{ id: recipe }}>
        {action.title}
      </Link>
    );
  }
  if (action.method === 'GET' || !mayWrite) return null;
  if (action.path === '/v6/jobs/requeue/') return <Requeue action={action} />;
  return (
    <ActionDialog
      button={`${action.title}…`}
      title={action.title}
      text={sentence(help)}
      confirm={action.title}
      run={() => client.request(action.method, action.path, { body: action.body })}
      changes={CHANGED}
    />
  );
}

function Watch({ workspace }: { readonly workspace: Watchable }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Watch it…
      </button>
      <WatchDialog isOpen={isOpen} close={() => setIsOpen(false)} workspace={workspace} />
    </>
  );
}

function Requeue({ action: { title, body } }: { readonly action: Action }) {
  const [request, setRequest] = useState<JobRequest>();
  const choice = body as JobRequest['choice'];
  return (
    <>
      <button type="button" onClick={() => setRequest({ action: 'requeue', choice })}>
        {title}…
      </button>
      <RequestDialog request={request} close={() => setRequest(undefined)} />
    </>
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
              Try {wanted} of {there}
            </span>
          ) : name === 'seconds' ? (
            <span className="number">
              {/* A time limit has the time that has passed in `wanted`, a pause in `there`. */}
              {wholeSeconds(Math.min(wanted, there))} of {wholeSeconds(Math.max(wanted, there))}
            </span>
          ) : (
            <>
              {resourceWord(name)}: <span className="number">{resource(name, wanted)}</span> wanted,{' '}
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
