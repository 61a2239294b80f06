/**
 * A batch of members through the whole system, one job that does nothing each: recipes made and completed a second, the
 * first thousand beside the last, and what the coordinator holds in memory after each. Neither should change with the
 * size.
 */
import type { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { median } from './harness/figures.ts';
import { rate } from './harness/meter.ts';
import { startSystem } from './harness/system.ts';
import { makeJobType, until } from './harness/work.ts';

/** limit of the interface: members of one request. */
const MEMBERS_EACH = 5_000;
const NUMBER = { files: [], json: [{ name: 'N', type: 'integer' }] };

interface Batch {
  readonly id: number;
  readonly is_creation_done: boolean;
  readonly recipes_completed: number;
}

async function define(
  client: InterfaceClient,
  members: number,
): Promise<{ typeId: number; dataset: number }> {
  await makeJobType(client, 'bench-member', 'process:noop', 'true');
  const node_type = { node_type: 'job', job_type_name: 'bench-member', job_type_version: '1.0.0' };
  const type = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Bench member',
    definition: { input: NUMBER, nodes: { only: { dependencies: [], input: {}, node_type } } },
  });
  const dataset = await client.post<{ id: number }>('/v6/datasets/', { definition: { parameters: NUMBER } });
  for (let from = 0; from < members; from += MEMBERS_EACH) {
    const count = Math.min(MEMBERS_EACH, members - from);
    const data = Array.from({ length: count }, (_, n) => ({ files: {}, json: { N: from + n } }));
    await client.post(`/v6/datasets/${dataset.id}/`, { data });
  }
  return { typeId: type.id, dataset: dataset.id };
}

interface Mark {
  readonly completed: number;
  readonly atMs: number;
  readonly mib: number;
}

/** What the marks say of the rate and the memory as it continues. */
function report(bench: Bench, marks: readonly Mark[], stretch: number, createdMs: number): void {
  const rates = marks.slice(1).map((mark, at) => {
    const before = marks[at] as Mark;
    const y = ((mark.completed - before.completed) * 1_000) / (mark.atMs - before.atMs);
    return { line: 'completed a second', x: mark.completed, y };
  });
  const x = 'members completed';
  bench.add({
    ...{ kind: 'lines', title: 'Rate as the batch continues', x, y: 'recipes/s', isLogarithmic: false },
    points: rates,
  });
  bench.add({
    ...{ kind: 'lines', title: 'Memory as the batch continues', x, y: 'MiB', isLogarithmic: false },
    points: marks.map(({ completed, mib }) => ({ line: 'coordinator', x: completed, y: mib })),
  });
  const few = Math.max(1, Math.floor(rates.length / 5));
  const middle = (part: readonly { y: number }[]) => median(part.map(({ y }) => y));
  const [first, last] = [middle(rates.slice(0, few)), middle(rates.slice(-few))];
  const [early, late] = [marks[1]?.mib ?? Number.NaN, marks.at(-1)?.mib ?? Number.NaN];
  bench.add({
    ...{ kind: 'figures', title: 'From first to last', columns: ['', ''] },
    rows: [
      ['recipes made, s', createdMs / 1_000],
      [`first ${few * stretch}, recipes/s`, first],
      [`last ${few * stretch}, recipes/s`, last],
      ['memory after the first stretch, MiB', early],
      ['memory at the end, MiB', late],
    ],
  });
  bench.aim({
    text: 'last fifth / first fifth',
    measured: last / first,
    wanted: 0.9,
    bound: 'least',
    unit: 'x',
  });
  bench.aim({
    ...{ text: 'memory grown after the first stretch', measured: late - early, wanted: 30 },
    ...{ bound: 'most', unit: 'MiB' },
  });
}

await runBench(import.meta.filename, async (bench) => {
  const members = bench.parameter('members', 20, 20_000);
  const stretch = Math.min(1_000, Math.ceil(members / 5));
  const system = await startSystem(bench, { agent: 'noop' });
  try {
    const { client, meter } = system;
    const { typeId, dataset } = await define(client, members);
    const marks: Mark[] = [{ completed: 0, atMs: 0, mib: system.resident().coordinator }];
    let createdMs = Number.NaN;
    const sample = await rate(members, meter, async () => {
      const startedMs = performance.now();
      const body = { recipe_type_id: typeId, definition: { dataset } };
      const made = await client.post<Batch>('/v6/batches/', body);
      await until('the batch is complete', async () => {
        const batch = await client.get<Batch>(`/v6/batches/${made.id}/`);
        const atMs = performance.now() - startedMs;
        if (batch.is_creation_done && Number.isNaN(createdMs)) createdMs = atMs;
        if (batch.recipes_completed >= (marks.at(-1)?.completed ?? 0) + stretch) {
          marks.push({ completed: batch.recipes_completed, atMs, mib: system.resident().coordinator });
        }
        return batch.is_creation_done && batch.recipes_completed === members;
      });
    });
    const rows = [{ name: 'Millrace', isPeer: false, samples: [sample] }];
    bench.add({ kind: 'comparison', title: 'Members to the end', unit: 'recipes/s', each: 'member', rows });
    report(bench, marks, stretch, createdMs);
  } finally {
    await system.stop();
  }
});
