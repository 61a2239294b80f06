/**
 * Two coordinators and an agent while NATS is absent from the start, stopped and killed: whatever is asked of either is
 * answered 2xx, and done.
 */
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import { NatsServer } from '../harness/nats-server.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const JOBS = 60;
const AT_A_TIME = 10;

interface Ready {
  readonly ready: boolean;
  readonly warnings: readonly { readonly name: string; readonly description: string }[];
}

interface Status {
  readonly scheduler: { readonly warnings: readonly { readonly name: string }[] };
}

const warningsOf = async (client: InterfaceClient): Promise<string[]> =>
  (await client.get<Ready>('/v6/ready/')).warnings.map(({ name }) => name);

/** At each coordinator. A call that is not answered 2xx throws. */
async function work(t: Test, clients: readonly InterfaceClient[], types: Types): Promise<void> {
  for (const [at, client] of clients.entries()) {
    const ids: number[] = [];
    while (ids.length < JOBS) {
      const queued = Array.from({ length: AT_A_TIME }, () => queueJob(client, types.quick));
      ids.push(...(await Promise.all(queued)));
    }
    for (const id of ids) await jobIs(client, id, ['COMPLETED']);

    const other = clients[1 - at] as InterfaceClient;
    const slow = await queueJob(client, types.slow);
    await jobIs(client, slow, ['RUNNING']);
    await other.post('/v6/jobs/cancel/', { job_ids: [slow] });
    await jobIs(client, slow, ['CANCELED']);
    const { id } = await client.post<{ id: number }>('/v6/recipes/', {
      recipe_type_id: types.recipe,
      input: { files: {}, json: {} },
    });
    await until(`recipe ${id} is complete`, async () => {
      return (await other.get<{ is_completed: boolean }>(`/v6/recipes/${id}/`)).is_completed;
    });
  }
  t.pass('all that was asked was answered, and done');
}

interface Types {
  readonly quick: number;
  readonly slow: number;
  readonly recipe: number;
}

async function createTypes(client: InterfaceClient): Promise<Types> {
  const quick = await createJobType(client, { name: 'quick', script: 'true' });
  const slow = await createJobType(client, { name: 'slow', script: 'sleep 120', timeout: 300 });
  const { id: recipe } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Two in a row',
    definition: {
      input: { files: [], json: [] },
      nodes: {
        first: {
          dependencies: [],
          input: {},
          node_type: { node_type: 'job', job_type_name: 'quick', job_type_version: '1.0.0' },
        },
        second: {
          dependencies: [{ name: 'first' }],
          input: {},
          node_type: { node_type: 'job', job_type_name: 'quick', job_type_version: '1.0.0' },
        },
      },
    },
  });
  return { quick, slow, recipe };
}

t.test('two coordinators serve every request while NATS is down or silent', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const nats = new NatsServer(t, await freePort());
  const env = { DATABASE_URL: await migratedDatabase(t), NATS_URL: nats.url };
  const ports = [await freePort(), await freePort()];
  const coordinators = await Promise.all(
    ports.map((port, at) =>
      world.start('coordinator', `coordinator-${at}`, { ...env, MILLRACE_GRPC: `127.0.0.1:${port}` }),
    ),
  );
  const clients = coordinators.map(clientOf);
  const [first, second] = clients as [InterfaceClient, InterfaceClient];
  const agent = await world.start('agent', 'agent', {
    MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join(','),
  });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  const types = await createTypes(first);
  const haveNats = (): Promise<unknown> =>
    until('both are without a warning', async () => {
      const warnings = await Promise.all(clients.map(warningsOf));
      return warnings.flat().length === 0;
    });

  t.comment('absent from the start');
  for (const client of clients) t.strictSame(await warningsOf(client), ['NATS_UNAVAILABLE']);
  for (const { log } of coordinators) t.match(log, /nats_unavailable/);
  const { scheduler } = await first.get<Status>('/v6/status/');
  t.ok(scheduler.warnings.some(({ name }) => name === 'NATS_UNAVAILABLE'));
  await work(t, clients, types);

  t.comment('begun');
  await nats.begin();
  await haveNats();

  t.comment('stopped');
  nats.signal('SIGSTOP');
  await work(t, clients, types);
  await until('it is said that NATS is silent', async () => {
    return (await Promise.all(clients.map(warningsOf))).every(([name]) => name === 'NATS_UNAVAILABLE');
  });
  nats.signal('SIGCONT');
  await haveNats();

  t.comment('killed');
  await nats.kill();
  await work(t, [second, first], types);
  await nats.begin();
  await haveNats();
  await work(t, clients, types);
});

t.test('coordinators without NATS_URL speak gRPC with each other', async (t) => {
  const world = await createWorld(t);
  const env = { DATABASE_URL: await migratedDatabase(t) };
  const ports = [await freePort(), await freePort()];
  const coordinators = await Promise.all(
    ports.map((port, at) =>
      world.start('coordinator', `coordinator-${at}`, { ...env, MILLRACE_GRPC: `127.0.0.1:${port}` }),
    ),
  );
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: `127.0.0.1:${ports[0]}` });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  const clients = coordinators.map(clientOf);
  for (const client of clients) t.strictSame(await warningsOf(client), []);
  await work(t, clients, await createTypes(clients[0] as InterfaceClient));
});
