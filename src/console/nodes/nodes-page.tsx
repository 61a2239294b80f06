/** The list of nodes: their resources and use, their state, and their problems. */
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../account.ts';
import { count, counted } from '../format/amounts.ts';
import { systemStatus } from '../overview/queries.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Use } from '../parts/use.tsx';
import { DrainActions } from './drain.tsx';
import { NoNode } from './no-node.tsx';
import { type NodeStatus, nodeRecords, type UseRange } from './queries.ts';
import { UseCharts } from './use-charts.tsx';

export interface NodesSearch {
  readonly range?: UseRange;
}

const HEADS = ['Node', 'State', 'Processors', 'Memory', 'Disk', 'Running', 'Failed, 3 h', ''];

export function NodesPage({ range = 'PT1H' }: NodesSearch) {
  const status = useQuery(systemStatus);
  // Their rows need them as well: both are read at the same time.
  usePrefetchQuery(nodeRecords);
  return (
    <div className="page">
      <PageHead
        title="Nodes"
        beside={
          <span className="soft number" role="status">
            {status.data !== undefined && counted(status.data.nodes.length, 'node')}
          </span>
        }
      />
      <UseCharts range={range} />
      <section aria-label="Nodes">
        <Loaded query={status}>
          {({ nodes }) =>
            nodes.length === 0 ? (
              <NoNode />
            ) : (
              <Rows label="List of nodes" isStacked heads={HEADS}>
                {nodes.map((node) => (
                  <NodeRow key={node.id} node={node} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </section>
    </div>
  );
}

function NodeRow({ node }: { readonly node: NodeStatus }) {
  const { id, hostname, state, resources, job_executions, errors, warnings } = node;
  const record = useQuery(nodeRecords).data?.results.find((one) => one.id === id);
  const { mayWrite } = useAccount();
  const reason = record?.pause_reason ?? [...errors, ...warnings].map(({ title }) => title).join(', ');
  return (
    <tr>
      <td>
        <Link to="/console/nodes/$id/" params={{ id: String(id) }}>
          {hostname}
        </Link>
      </td>
      <td>
        <StatusMark status={state.name} text={state.title} />
        {reason !== '' && <div className="soft cut">{reason}</div>}
      </td>
      {(['cpus', 'mem', 'disk'] as const).map((name) => (
        <td key={name}>
          <Use name={name} amount={resources[name]} />
        </td>
      ))}
      <td className="number">{count(job_executions.running.total)}</td>
      <td className="number">{count(job_executions.failed.total)}</td>
      <td>
        {mayWrite && record !== undefined && (
          <div className="row-actions">
            <DrainActions
              id={id}
              hostname={hostname}
              isPaused={record.is_paused}
              isActive={record.is_active}
              runningCount={job_executions.running.total}
            />
          </div>
        )}
      </td>
    </tr>
  );
}
