/**
 * A batch of members through the whole system, one no-op job each: recipes made and completed a second, the first
 * thousand beside the last, and what the coordinator holds in memory after each. Neither should change with the size.
 *
 * node bench/batch.bench.ts [members, default 5000; 100000 for the goal]
 */
import type { InterfaceClient } from '../src/cli/demo/interface-client.ts';
import { perJob, startSystem } from './harness/system.ts';

const MEMBERS = Number(process.argv[2] ?? 5_000);
/** What rates are taken over. */
const STRETCH = Math.min(1_000, Math.ceil(MEMBERS / 5));
const LOOK_MS = 100;
const DEADLINE_MS = 3_600_000;
/** limit of the interface: members of one request. */
const MEMBERS_EACH = 5_000;
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const MANIFEST = {
  seedVersion: '1.0.0',
  job: {
    ...{ name: 'bench-member', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Member', timeout: 60 },
    description: 'Does nothing',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    interface: { command: 'true' },
  },
};
const NUMBER = { files: [], json: [{ name: 'N', type: 'integer' }] };

interface Batch {
  readonly id: number;
  readonly is_creation_done: boolean;
  readonly recipes_total: number;
  readonly recipes_completed: number;
}

async function define(client: InterfaceClient): Promise<{ typeId: number; dataset: number }> {
  await client.post('/v6/job-types/', {
    container_image: 'process:noop',
    manifest: MANIFEST,
    configuration: {},
  });
  const node_type = { node_type: 'job', job_type_name: 'bench-member', job_type_version: '1.0.0' };
  const type = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Bench member',
    definition: { input: NUMBER, nodes: { only: { dependencies: [], input: {}, node_type } } },
  });
  const dataset = await client.post<{ id: number }>('/v6/datasets/', { definition: { parameters: NUMBER } });
  for (let from = 0; from < MEMBERS; from += MEMBERS_EACH) {
    const count = Math.min(MEMBERS_EACH, MEMBERS - from);
    const data = Array.from({ length: count }, (_, n) => ({ files: {}, json: { N: from + n } }));
    await client.post(`/v6/datasets/${dataset.id}/`, { data });
  }
  return { typeId: type.id, dataset: dataset.id };
}

const system = await startSystem({ agent: 'noop' });
try {
  const { client } = system;
  const { typeId, dataset } = await define(client);
  const before = system.spent();
  const startedMs = performance.now();
  const made = await client.post<Batch>('/v6/batches/', {
    recipe_type_id: typeId,
    definition: { dataset },
  });
  const marks: { readonly completed: number; readonly atMs: number; readonly mib: number }[] = [];
  let createdMs: number | undefined;
  for (let isDone = false; !isDone; ) {
    const batch = await client.get<Batch>(`/v6/batches/${made.id}/`);
    const atMs = performance.now() - startedMs;
    if (batch.is_creation_done) createdMs ??= atMs;
    if (batch.recipes_completed >= (marks.length + 1) * STRETCH) {
      marks.push({ completed: batch.recipes_completed, atMs, mib: system.resident().coordinator });
    }
    isDone = batch.is_creation_done && batch.recipes_completed === MEMBERS;
    if (atMs > DEADLINE_MS) throw new Error(`${batch.recipes_completed} of ${MEMBERS} are complete`);
    if (!isDone) await new Promise((wake) => setTimeout(wake, LOOK_MS));
  }
  const endedMs = performance.now() - startedMs;
  const rate = (from: (typeof marks)[number] | undefined, to: (typeof marks)[number] | undefined) => {
    const [count, ms] = [(to?.completed ?? 0) - (from?.completed ?? 0), (to?.atMs ?? 1) - (from?.atMs ?? 0)];
    return (count / (ms / 1_000)).toFixed(0);
  };
  const [first, last] = [marks[0], marks.at(-1)];
  say(`${MEMBERS} members: recipes made in ${((createdMs ?? 0) / 1_000).toFixed(1)} s`);
  say(`  completed at ${(MEMBERS / (endedMs / 1_000)).toFixed(0)}/s in all`);
  say(`  first ${STRETCH}: ${rate(undefined, first)}/s; last ${STRETCH}: ${rate(marks.at(-2), last)}/s`);
  say(`  ${perJob(before, system.spent(), MEMBERS)}`);
  say(
    `  coordinator: ${first?.mib.toFixed(0)} MiB after the first, ${last?.mib.toFixed(0)} MiB after the last`,
  );
} finally {
  await system.stop();
}
