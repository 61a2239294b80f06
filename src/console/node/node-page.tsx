/** One node: its state, its problems, its resources and their use, and the jobs that run there. */
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../account.ts';
import { count, counted, resource, resourceWord } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { DrainActions } from '../nodes/drain.tsx';
import type { NodesSearch } from '../nodes/nodes-page.tsx';
import { type NodeStatus, nodeRecord, nodeUse, RUNNING_MAX, runningJobs } from '../nodes/queries.ts';
import { UseCharts } from '../nodes/use-charts.tsx';
import { systemStatus } from '../overview/queries.ts';
import { Fact } from '../parts/fact.tsx';
import { Ago, Elapsed, Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';

export function NodePage({ id, range = 'PT1H' }: NodesSearch & { readonly id: number }) {
  const record = useQuery(nodeRecord(id));
  // What stands below is read at the same time.
  usePrefetchQuery(nodeUse(range, id));
  usePrefetchQuery(runningJobs(id));
  const status = useQuery(systemStatus).data?.nodes.find((one) => one.id === id);
  const { mayWrite } = useAccount();
  return (
    <div className="page">
      <Loaded query={record}>
        {(node) => (
          <>
            <PageHead
              above={{ title: 'Nodes', href: '/console/nodes/' }}
              title={node.hostname}
              beside={
                status !== undefined && <StatusMark status={status.state.name} text={status.state.title} />
              }
            >
              {mayWrite && (
                <DrainActions
                  id={id}
                  hostname={node.hostname}
                  isPaused={node.is_paused}
                  isActive={node.is_active}
                  runningCount={status?.job_executions.running.total ?? 0}
                />
              )}
            </PageHead>
            {node.is_paused && (
              <p className="note">
                Paused{node.pause_reason === null ? '' : `: ${node.pause_reason}`}, changed{' '}
                <Ago at={node.last_modified} />.
              </p>
            )}
            {status !== undefined && <Conditions node={status} />}
            <UseCharts range={range} nodeId={id} />
            <Running id={id} />
            {status !== undefined && <Amounts node={status} />}
            <section aria-label="Facts">
              <h2>Node</h2>
              <dl className="facts">
                <Fact name="Id">{id}</Fact>
                <Fact name="Agent">{status?.agent_id ?? '–'}</Fact>
                <Fact name="Executors">{node.executors.join(', ') || '–'}</Fact>
                <Fact name="Joined">
                  <Instant at={node.created} />
                </Fact>
                <Fact name="Changed">
                  <Instant at={node.last_modified} />
                </Fact>
              </dl>
            </section>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** What the agent reports about its host. */
function Conditions({ node }: { readonly node: NodeStatus }) {
  const all = [
    ...node.errors.map((one) => ({ ...one, tone: 'failure' })),
    ...node.warnings.map((one) => ({ ...one, tone: 'note' })),
  ];
  return all.map(({ name, title, description, started, tone }) => (
    <div key={name} className={tone}>
      <strong>{title}</strong>{' '}
      <span className="soft">
        since <Ago at={started} />
      </span>
      <p>{description}</p>
    </div>
  ));
}

function Running({ id }: { readonly id: number }) {
  return (
    <section aria-label="Running jobs">
      <h2>What runs here</h2>
      <Loaded query={useQuery(runningJobs(id))}>
        {({ count: total, results }) =>
          results.length === 0 ? (
            <Empty title="Nothing runs here" />
          ) : (
            <>
              <Rows label="List of running jobs" heads={['Job', 'Type', 'Running for', 'Recipe']}>
                {results.map((job) => (
                  <tr key={job.id}>
                    <td className="number">
                      <Link to="/console/jobs/$id/" params={{ id: String(job.id) }}>
                        {job.id}
                      </Link>
                    </td>
                    <td>
                      {job.job_type.title} <span className="soft">{job.job_type.version}</span>
                    </td>
                    <td className="number">
                      <Elapsed from={job.started} to={null} />
                    </td>
                    <td>
                      {job.recipe === null ? (
                        <span className="soft">–</span>
                      ) : (
                        <>
                          {job.recipe.recipe_type.title} <span className="soft number">{job.recipe.id}</span>
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </Rows>
              {total > RUNNING_MAX && (
                <p className="soft">
                  The first {count(RUNNING_MAX)} of {counted(total, 'job')}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const AMOUNTS = [
  ['total', 'Total'],
  ['running', 'Running'],
  ['offered', 'Offered'],
  ['free', 'Not yet offered'],
  ['unavailable', 'Unavailable'],
] as const;
const FIRST_RESOURCES = ['cpus', 'mem', 'disk', 'gpus'];

/** Those that every node has come first. */
const placeOf = (name: string): number => FIRST_RESOURCES.indexOf(name) + 1 || FIRST_RESOURCES.length + 1;

function Amounts({ node }: { readonly node: NodeStatus }) {
  const there = Object.entries(node.resources).filter(([, amount]) => amount.total > 0 || amount.running > 0);
  const resources = there.sort(([one], [other]) => placeOf(one) - placeOf(other));
  return (
    <section aria-label="Resources">
      <h2>Resources now</h2>
      <Rows label="Amounts" isStacked heads={['', ...AMOUNTS.map(([, title]) => title)]}>
        {resources.map(([name, amount]) => (
          <tr key={name}>
            <th scope="row">{sentence(resourceWord(name))}</th>
            {AMOUNTS.map(([one]) => (
              <td key={one} className="number">
                {resource(name, amount[one])}
              </td>
            ))}
          </tr>
        ))}
      </Rows>
    </section>
  );
}
