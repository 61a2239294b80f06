/** Two coordinators as Prometheus reads them: what happened is reported, and counted once. */
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { type Sample, samplesOf, sumOf } from '../../support/metric-text.ts';
import { needsPromtool, promtool } from '../../support/promtool.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const FILES = 12;
const TOKEN = 'a-token-of-prometheus';

async function scrape(client: InterfaceClient): Promise<string> {
  const answer = await fetch(new URL('/metrics', client.base), {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.text();
}

t.test('prometheus: two coordinators together report everything once', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const shared = {
    DATABASE_URL: await migratedDatabase(t),
    NATS_URL: await serviceUrl('nats'),
    MILLRACE_METRICS_TOKEN: TOKEN,
  };
  const ports = [await freePort(), await freePort()];
  const coordinators: Program[] = [];
  for (const [at, port] of ports.entries()) {
    const settings = { ...shared, MILLRACE_GRPC: `127.0.0.1:${port}` };
    coordinators.push(await world.start('coordinator', `coordinator-${at}`, settings));
  }
  const clients = coordinators.map(clientOf);
  const agent = await world.start('agent', 'agent', {
    MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join(','),
  });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  const client = clients[0] as InterfaceClient;
  const work = await DemoWork.create(world, client, FILES);
  await work.deliver(FILES);
  await work.finished(client);

  let texts: string[] = [];
  let each: Sample[][] = [];
  let samples: Sample[] = [];
  // Figures of the cluster are read again after five seconds.
  await until('the figures tell that all is done', async () => {
    texts = await Promise.all(clients.map(scrape));
    each = texts.map(samplesOf);
    samples = each.flat();
    return sumOf(samples, 'millrace_recipes', { status: 'completed' }) === FILES;
  });

  t.test('counters count what happened', async (t) => {
    const is = (name: string, labels: Record<string, string>, expected: number) =>
      t.equal(sumOf(samples, name, labels), expected, `${name} ${JSON.stringify(labels)}`);
    is('millrace_arrivals_total', { source: 'strike' }, FILES);
    is('millrace_ingests_ended_total', { status: 'INGESTED' }, FILES);
    is('millrace_ingests', { status: 'INGESTED' }, FILES);
    is('millrace_recipes', { status: 'active' }, 0);
    is('millrace_coordinators', {}, 2);
    is('millrace_shards_held', {}, 64);
    is('millrace_leases_valid', {}, 2);
    is('millrace_nats_up', {}, 2);
    is('millrace_nodes', { state: 'online' }, 1);
    is('millrace_node_online', { node: 'host-1' }, 1);
    is('millrace_streams', { kind: 'agents' }, 1);
    is('millrace_handler_failures_total', {}, 0);
    for (const name of ['demo-describe', 'demo-compress', 'demo-keep']) {
      const { count } = await client.get<{ count: number }>(
        `/v6/jobs/?job_type_name=${name}&status=COMPLETED`,
      );
      is('millrace_jobs', { job_type: name, job_type_version: '1.0.0', status: 'COMPLETED' }, count);
    }
    const { count: placed } = await client.get<{ count: number }>('/v6/jobs/?recipe_id=1&recipe_id=2');
    t.ok(sumOf(samples, 'millrace_placements_total') > placed, 'placements');
    t.ok(
      sumOf(samples, 'millrace_jobs_ended_total', { status: 'COMPLETED' }) >= 2 * FILES,
      'jobs that ended',
    );
    t.ok(sumOf(samples, 'millrace_node_resources_offered', { node: 'host-1', resource: 'cpus' }) > 0);
    t.ok(sumOf(samples, 'millrace_database_size_bytes') > 1e6, 'the size of the database');
    for (const [at, mine] of each.entries()) {
      const commits = sumOf(mine, 'millrace_commits_total');
      t.ok(commits > 0, `commits of coordinator ${at}`);
      t.ok(sumOf(mine, 'millrace_commit_duration_seconds_count') >= commits);
      t.ok(sumOf(mine, 'millrace_commit_turns_sum') >= commits);
      t.ok(sumOf(mine, 'nodejs_eventloop_lag_p99_seconds') > 0, 'the delay of its event loop');
      t.ok(sumOf(mine, 'millrace_database_pool_open') > 0);
      t.equal(sumOf(mine, 'millrace_actors', { actor: 'strike' }) >= 0, true);
    }
  });

  t.test('figures of the whole cluster come from one coordinator', async (t) => {
    t.equal(sumOf(samples, 'millrace_cluster_figures_told'), 1);
    for (const [at, mine] of each.entries()) {
      const tells = sumOf(mine, 'millrace_cluster_figures_told') === 1;
      t.equal(
        mine.some(({ name }) => name === 'millrace_jobs'),
        tells,
        `coordinator ${at}`,
      );
    }
  });

  t.test('promtool accepts the metrics', needsPromtool(), async (t) => {
    for (const text of texts) t.equal(promtool(['check', 'metrics'], text), '');
  });

  t.test('the metrics need the token', async (t) => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      const answer = await fetch(new URL('/metrics', client.base), { headers });
      t.equal(answer.status, 401);
      t.match(await answer.json(), { code: 'UNAUTHENTICATED', detail: /MILLRACE_METRICS_TOKEN/ });
    }
  });

  t.test('without the scheduler’s owner the other coordinator reports the cluster’s figures', async (t) => {
    const teller = each.findIndex((mine) => sumOf(mine, 'millrace_cluster_figures_told') === 1);
    await coordinators[teller]?.end();
    const other = clients[1 - teller] as InterfaceClient;
    await until('the other one tells', async () => {
      const mine = samplesOf(await scrape(other));
      return sumOf(mine, 'millrace_recipes', { status: 'completed' }) === FILES;
    });
    t.pass();
  });
});
