/**
 * New revisions of a job type that many recipe types use, which are to use the new one: how long until the edit is
 * answered, and until all recipe types have their new revision.
 */
import type { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { runBench } from './harness/bench.ts';
import { startSystem } from './harness/system.ts';
import { makeJobType, manifestOf, until } from './harness/work.ts';

const NAME = 'bench-catalogue';
const COMMAND = 'true';
const AT_ONCE = 8;

async function makeUsers(client: InterfaceClient, count: number): Promise<void> {
  const node_type = {
    node_type: 'job',
    job_type_name: NAME,
    job_type_version: '1.0.0',
    job_type_revision: 1,
  };
  const definition = {
    input: { files: [], json: [] },
    nodes: { it: { dependencies: [], input: {}, node_type } },
  };
  let made = 0;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    while (made < count) {
      made += 1;
      await client.post('/v6/recipe-types/', { title: `User ${made}`, description: '', definition });
    }
  });
  await Promise.all(lanes);
}

await runBench(import.meta.filename, async (bench) => {
  const users = bench.parameter('users', 5, 1_000);
  const revisions = bench.parameter('revisions', 2, 5);
  const system = await startSystem(bench, { agent: 'noop' });
  try {
    const { client } = system;
    await makeJobType(client, NAME, 'process:default', COMMAND);
    await makeUsers(client, users);
    const rows: [string, number, number][] = [];
    for (let revision = 2; revision < 2 + revisions; revision += 1) {
      const manifest = manifestOf(NAME, COMMAND, { title: `Revision ${revision}` });
      const beganMs = performance.now();
      await client.patch(`/v6/job-types/${NAME}/1.0.0/`, { manifest, auto_update: true });
      const answeredMs = performance.now();
      const isRaised = async (): Promise<boolean> => {
        const newest = { query: { order: ['-id' as const], page_size: 1 } };
        const [update] = (await client.typed.get('/v6/type-updates/', newest)).results;
        return update?.revision_num === revision && update.recipe_types_raised === users;
      };
      await until(`all use revision ${revision}`, isRaised, 50);
      rows.push([`revision ${revision}`, answeredMs - beganMs, (performance.now() - beganMs) / 1_000]);
    }
    const columns = ['', 'answered after ms', 'all raised after s'];
    bench.add({ kind: 'figures', title: `${users} recipe types that use it`, columns, rows });
    const slowest = (at: 1 | 2) => Math.max(...rows.map((row) => row[at]));
    bench.aim({ text: 'slowest answer', measured: slowest(1), wanted: 100, bound: 'most', unit: 'ms' });
    bench.aim({ text: 'all raised', measured: slowest(2), wanted: 5, bound: 'most', unit: 's' });
  } finally {
    await system.stop();
  }
});
