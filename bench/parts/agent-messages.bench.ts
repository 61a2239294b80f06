/**
 * Messages of a session between a coordinator and an agent, over real gRPC on loopback: launches of one job type as the
 * coordinator's session sends them, and ends of tasks as the agent's outbox does, in groups of 500. Both ends are this
 * process; nothing is done with what arrives.
 *
 * Beside it the same messages sent one by one, as to agents and coordinators of earlier versions.
 */
import * as grpc from '@grpc/grpc-js';
import type { Spool } from '../../node-agent/data/spool.ts';
import { Outbox } from '../../node-agent/outbox.ts';
import type { AgentMessage, TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage, Welcome } from '../../src/domain/node/coordinator-messages.ts';
import { launchesOf } from '../../src/domain/node/launches.ts';
import { AgentSession, type AgentStream } from '../../src/rpc/session.ts';
import { AGENT_SERVICE } from '../../src/wire/agent-service.ts';
import { makeLaunch } from '../../test/support/agent/make-launch.ts';
import { makeUpdate } from '../../test/support/worlds/node-world.ts';
import { type Bench, ratioOf, runBench } from '../harness/bench.ts';
import { OWN_METER, rate } from '../harness/meter.ts';

const GROUP = 500;
const WELCOME: Welcome = {
  ...{ type: 'welcome', nodeId: 1, sessionId: 's', heartbeatMs: 0 },
  ...{ takesIngestUpdates: true, takesTaskUpdates: true, comparesBoots: true },
};

interface Ends {
  readonly session: AgentSession;
  readonly call: grpc.ClientDuplexStream<AgentMessage, CoordinatorMessage>;
  /** Resolves when so many launches have arrived at the agent, or ends of tasks at the coordinator. */
  arrived(count: number): Promise<void>;
}

async function openSession(bench: Bench): Promise<Ends> {
  const server = new grpc.Server();
  const opened = Promise.withResolvers<AgentStream>();
  server.addService({ session: AGENT_SERVICE.session }, { session: opened.resolve });
  const bind = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
    error === null ? bind.resolve(port) : bind.reject(error),
  );
  const client = new grpc.Client(`127.0.0.1:${await bind.promise}`, grpc.credentials.createInsecure());
  bench.atEnd(() => {
    client.close();
    server.forceShutdown();
  });
  const { path, requestSerialize, responseDeserialize } = AGENT_SERVICE.session;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  call.on('error', () => undefined); // the end of the bench
  call.write({ type: 'heartbeat', sequence: 0 });
  const stream = await opened.promise;
  stream.on('error', () => undefined);
  const session = new AgentSession('s', stream);
  session.welcome(WELCOME);
  let [seen, wanted] = [0, 0];
  let reached = (): void => undefined;
  const count = (more: number): void => {
    seen += more;
    if (seen >= wanted) reached();
  };
  call.on('data', (message: CoordinatorMessage) => {
    if (message.type === 'launches') count(launchesOf(message).length);
    else if (message.type === 'launch') count(1);
  });
  stream.on('data', (message: AgentMessage) => {
    if (message.type === 'taskUpdates') count(message.updates.length);
    else if (message.type === 'taskUpdate') count(1);
  });
  return {
    ...{ session, call },
    arrived: (many) => {
      [seen, wanted] = [0, many];
      return new Promise((resolve) => {
        reached = resolve;
      });
    },
  };
}

/** What the outbox reads of a spool, of updates that are there already. */
function spoolOf(updates: readonly TaskUpdate[]): Pick<Spool, 'after'> {
  return { after: (last: number) => updates[last] };
}

await runBench(import.meta.filename, async (bench) => {
  const messages = bench.parameter('messages', 1_000, 50_000);
  const { session, call, arrived } = await openSession(bench);
  const phases = (['pull', 'pre', 'main', 'post'] as const).map((phase) => {
    return { phase, startedMs: 1_764_000_000_000, endedMs: 1_764_000_000_001, exitCode: 0, timedOut: false };
  });
  const groups = Math.ceil(messages / GROUP);
  const launches = Array.from({ length: GROUP }, (_, at) => makeLaunch(10_000_000 + at));
  const updates = Array.from({ length: GROUP }, (_, at) => makeUpdate(at + 1, 10_000_000 + at, { phases }));
  const send = (isTogether: boolean) => async () => {
    session.takesLaunches = isTogether;
    for (let group = 0; group < groups; group++) {
      const done = arrived(GROUP);
      session.send(launches);
      await done;
    }
  };
  const report = (isTogether: boolean) => async () => {
    for (let group = 0; group < groups; group++) {
      const done = arrived(GROUP);
      const outbox = new Outbox(call, spoolOf(updates));
      if (isTogether) outbox.gather(WELCOME);
      outbox.pump();
      await done;
      outbox.close();
    }
  };
  for (const [title, many, each, work] of [
    ['Launches', 'launches', 'launch', send],
    ['Ends of tasks', 'ends', 'end', report],
  ] as const) {
    const rows = await bench.compare({
      ...{ title, unit: `${many}/s`, each },
      subjects: [
        { name: 'in bursts', work: () => rate(groups * GROUP, OWN_METER, work(true)) },
        { name: 'one by one', work: () => rate(groups * GROUP, OWN_METER, work(false)) },
      ],
    });
    const measured = ratioOf(rows, 'in bursts', 'one by one');
    bench.aim({ text: `${title}: in bursts / one by one`, measured, wanted: 2, bound: 'least', unit: 'x' });
  }
});
