/** One strike: whether it watches, its rules, a test of names, pause and resume. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { sentence } from '../format/sentence.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { NamesTester } from './names-tester.tsx';
import { strikeDetails } from './queries.ts';

type Strike = components['schemas']['StrikeDetails'];

export function StrikePage({ id }: { readonly id: number }) {
  const strike = useQuery(strikeDetails(id));
  return (
    <div className="page">
      <Loaded query={strike}>{(found) => <StrikeView strike={found} />}</Loaded>
    </div>
  );
}

function StrikeView({ strike }: { readonly strike: Strike }) {
  const { mayWrite } = useAccount();
  return (
    <>
      <div className="page-head">
        <h1 className="foreign">
          <Link to="/console/strikes/" className="crumb">
            Strikes
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          {strike.title}
        </h1>
        <StatusMark status={strike.state} />
        <div className="page-actions">
          <Link className="button" to="/console/arrivals/" search={{ strike: String(strike.id) }}>
            Arrivals
          </Link>
          {mayWrite && <PauseButton strike={strike} />}
        </div>
      </div>
      {strike.reason !== null && <p className="note">{sentence(strike.reason)}</p>}
      <Configuration strike={strike} />
      <NamesTester key={strike.object_version} strikeId={strike.id} />
    </>
  );
}

/** Pauses and resumes. A paused strike finds no files, and finishes those that it has found. */
function PauseButton({ strike: { id, is_paused } }: { readonly strike: Strike }) {
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: () => client.patch('/v6/strikes/{id}/', { path: { id }, body: { is_paused: !is_paused } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['strike', id] });
      await queries.invalidateQueries({ queryKey: ['strikes'] });
    },
  });
  return (
    <>
      <button type="button" disabled={send.isPending} onClick={() => send.mutate()}>
        {is_paused ? 'Resume' : 'Pause'}
      </button>
      {send.isError && <Failure error={send.error} />}
    </>
  );
}

function Configuration({ strike }: { readonly strike: Strike }) {
  const { workspace, monitor, files_to_ingest: rules, recipe } = strike.configuration;
  return (
    <>
      <section aria-label="Watches">
        <h2>Watches</h2>
        <dl className="facts">
          <Fact name="Name">{strike.name}</Fact>
          {strike.description !== '' && <Fact name="Description">{strike.description}</Fact>}
          <Fact name="Workspace">{workspace}</Fact>
          <Fact name="By">
            {monitor.type === 'dir-watcher'
              ? 'events and listings of the directory'
              : 'notifications of the bucket'}
          </Fact>
          {monitor.type === 'dir-watcher' && monitor.transfer_suffix !== undefined && (
            <Fact name="Unfinished files">end in {monitor.transfer_suffix}</Fact>
          )}
          <Fact name="Starts">
            recipe{' '}
            <Link to="/console/recipe-types/$name/" params={{ name: recipe.name }}>
              {recipe.name}
            </Link>
            {recipe.revision_num !== undefined && `, revision ${recipe.revision_num}`}
          </Fact>
          <Fact name="Job">
            <Link to="/console/jobs/$id/" params={{ id: String(strike.job.id) }}>
              {strike.job.id}
            </Link>
          </Fact>
          <Fact name="Created">
            <Instant at={strike.created} />
          </Fact>
          <Fact name="Changed">
            <Instant at={strike.last_modified} />
          </Fact>
        </dl>
      </section>
      <section aria-label="Rules">
        <h2>Rules</h2>
        <p className="soft">
          The first rule that matches a file decides. A file that none matches is deferred.
        </p>
        <Rows
          label="List of rules"
          isStacked
          heads={['Rule', 'Matches', 'Matched against', 'Data types', 'Goes to']}
        >
          {rules.map((rule, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the position is what a rule is known by
            <tr key={at}>
              <td className="number">{at + 1}</td>
              <td className="mono">{rule.filename_regex}</td>
              <td>{rule.match ?? 'name'}</td>
              <td>{(rule.data_types ?? []).join(', ') || '–'}</td>
              <td>{targetOf(rule, workspace)}</td>
            </tr>
          ))}
        </Rows>
      </section>
    </>
  );
}

type Rule = Strike['configuration']['files_to_ingest'][number];

function targetOf({ new_workspace, new_file_path }: Rule, workspace: string): string {
  if (new_workspace === undefined && new_file_path === undefined) return 'stays in place';
  const place = new_workspace ?? workspace;
  return new_file_path === undefined ? place : `${place} / ${new_file_path}`;
}
