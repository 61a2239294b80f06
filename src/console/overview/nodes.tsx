/** The nodes with their state, resources and use. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count } from '../format/amounts.ts';
import { NoNode } from '../nodes/no-node.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Use } from '../parts/use.tsx';
import { systemStatus } from './queries.ts';

export function Nodes() {
  return (
    <section aria-label="Nodes">
      <h2>
        <Link to="/console/nodes/">Nodes</Link>
      </h2>
      <Loaded query={useQuery(systemStatus)}>
        {({ nodes }) =>
          nodes.length === 0 ? (
            <NoNode />
          ) : (
            <Rows
              label="List of nodes"
              isStacked
              heads={['Node', 'State', 'Processors', 'Memory', 'Disk', 'Running', 'Failed, 3 h']}
            >
              {nodes.map(({ id, hostname, state, resources, job_executions }) => (
                <tr key={id}>
                  <td>
                    <Link to="/console/nodes/$id/" params={{ id: String(id) }}>
                      {hostname}
                    </Link>
                  </td>
                  <td>
                    <StatusMark status={state.name} text={state.title} />
                  </td>
                  <td>
                    <Use name="cpus" amount={resources.cpus} />
                  </td>
                  <td>
                    <Use name="mem" amount={resources.mem} />
                  </td>
                  <td>
                    <Use name="disk" amount={resources.disk} />
                  </td>
                  <td className="number">{count(job_executions.running.total)}</td>
                  <td className="number">{count(job_executions.failed.total)}</td>
                </tr>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}
