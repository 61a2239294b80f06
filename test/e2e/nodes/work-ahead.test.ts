/**
 * Work ahead through the whole coordinator: an agent that this test speaks for says how long its tasks took, gets more
 * of them than fit, and gives some back.
 */
import t from 'tap';
import type { TaskUpdate } from '../../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../../src/domain/node/coordinator-messages.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { dialAgent } from '../../support/worlds/gateway-world.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';

/** As many of the smallest jobs as fit. */
const FITTING = 4;
const RESOURCES = { cpus: FITTING * 0.25, mem: 4_096, disk: 10_000 };
const TOOK_MS = 5;
const HEARTBEAT_MS = 500;

interface JobRecord {
  readonly status: string;
  readonly num_exes: number;
  readonly max_tries: number;
  readonly queued: string;
}
interface ExecutionRecord {
  readonly exe_num: number;
  readonly status: string;
  readonly queued: string;
  readonly error: object | null;
}

t.test(
  'work ahead: short jobs are sent ahead, and one that is given back loses neither a try nor its place',
  async (t) => {
    const world = await createWorld(t);
    const address = `127.0.0.1:${await freePort()}`;
    const env = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: address };
    const client = clientOf(await world.start('coordinator', 'coordinator', env));
    const agent = dialAgent(t, address);
    agent.hello({
      ...{ joinToken: 'a-token-for-tests-only', nodeName: 'ahead', resources: RESOURCES },
      ...{ executors: ['process:default'], takesWorkAhead: true },
    });
    await agent.answer('welcome');
    agent.say({ type: 'offer', sequence: 1, resources: RESOURCES, errors: [], warnings: [] });
    let beats = 0;
    const beating = setInterval(() => agent.say({ type: 'heartbeat', sequence: ++beats }), HEARTBEAT_MS);
    t.teardown(() => clearInterval(beating));

    const launches = () => agent.heard.filter((one): one is Launch => one.type === 'launch');
    let spoolId = 0;
    const end = ({ executionId, jobId, exeNum, owner }: Launch, how: Partial<TaskUpdate>): void => {
      spoolId += 1;
      const identity = { spoolId, executionId, jobId, exeNum, owner };
      const nothing = { phases: [], outputs: [], jsonOutputs: '{}', parsedInputs: [] };
      agent.say({ type: 'taskUpdate', ...identity, ...nothing, outcome: 'COMPLETED', ...how });
    };
    const complete = (launch: Launch): void => {
      const startedMs = Date.now() - TOOK_MS;
      const main = {
        phase: 'main',
        startedMs,
        endedMs: startedMs + TOOK_MS,
        exitCode: 0,
        timedOut: false,
      } as const;
      end(launch, { phases: [main] });
    };

    const type = await createJobType(client, { name: 'brief', script: 'true' });
    const first = await queueJob(client, type);
    await until('it is launched', () => launches().length === 1);
    complete(launches()[0] as Launch);
    await jobIs(client, first, ['COMPLETED']);

    const ids: number[] = [];
    for (let at = 0; at < 2 * FITTING; at += 1) ids.push(await queueJob(client, type));
    await until('twice as many as fit are launched', () => launches().length === 1 + 2 * FITTING);
    const sent = launches().slice(1);
    const recordOf = (id: number) => client.get<JobRecord>(`/v6/jobs/${id}/`);
    const queued = new Map<number, string>();
    for (const id of ids) queued.set(id, (await recordOf(id)).queued);
    for (const launch of sent.slice(FITTING)) end(launch, { outcome: 'CANCELED', neverBegan: true });
    for (const launch of sent.slice(0, FITTING)) complete(launch);
    await until('those are launched again', () => launches().length === 1 + 3 * FITTING);
    for (const launch of launches().slice(1 + 2 * FITTING)) complete(launch);
    for (const id of ids) await jobIs(client, id, ['COMPLETED']);

    const givenBack = sent.slice(FITTING).map(({ jobId }) => jobId);
    for (const id of ids) {
      const job = await recordOf(id);
      t.equal(job.queued, queued.get(id), 'it waits since it was queued');
      const { results } = await client.get<{ results: ExecutionRecord[] }>(`/v6/jobs/${id}/executions/`);
      const executions = results.sort((one, other) => one.exe_num - other.exe_num);
      if (!givenBack.includes(id)) {
        t.match(job, { num_exes: 1, max_tries: 3 });
        continue;
      }
      t.match(job, { num_exes: 2, max_tries: 4 });
      t.match(executions, [
        { exe_num: 1, status: 'CANCELED', error: null, queued: job.queued },
        { exe_num: 2, status: 'COMPLETED', error: null, queued: job.queued },
      ]);
    }
  },
);
