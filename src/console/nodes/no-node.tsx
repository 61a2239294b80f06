/** What there is to do while no node has joined: the command that starts an agent. */

/** limit: the port of a coordinator that no setting changed. */
const AGENTS_PORT = 8_081;

export function NoNode() {
  const command = `MILLRACE_JOIN_TOKEN=... MILLRACE_COORDINATORS=${location.hostname}:${AGENTS_PORT} \\
  MILLRACE_DATA_DIR=/var/lib/millrace-agent node bin/millrace.js agent`;
  return (
    <div className="first-step">
      <h3>No node has joined yet: start an agent</h3>
      <p>On each host that runs jobs, with the join token of the coordinators:</p>
      <pre className="command" tabIndex={0}>
        {command}
      </pre>
      <p className="soft">
        The node appears here within a second. Where the coordinator listens to agents is its setting
        MILLRACE_GRPC; the guide has the rest of <a href="/docs/guide/nodes/">nodes</a>.
      </p>
    </div>
  );
}
