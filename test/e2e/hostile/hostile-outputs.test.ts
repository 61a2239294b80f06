/** Outputs of hostile jobs, seen over the interface: limits fail with named errors, and leftovers are reported. */
import { spawnSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

interface Status {
  readonly nodes: readonly {
    readonly state: { readonly name: string };
    readonly warnings: readonly { readonly name: string; readonly description: string }[];
  }[];
}

const FILES_MAX = 10_000;
const asRoot = process.getuid?.() === 0 ? {} : { skip: 'needs root: a mount is what cannot be removed' };

t.test(
  'outputs of a job: the largest permitted number become products, and one more fails by name',
  async (t) => {
    const { client, world } = await startPair(t);
    const work = { broker: { type: 'host', host_path: world.at.archive } };
    await client.post('/v6/workspaces/', { title: 'Products', configuration: work });
    const outputs = [{ name: 'OUT', pattern: '*.txt', mediaType: 'text/plain', multiple: true }];
    const leaving = async (name: string, count: number): Promise<number> => {
      const script = `cd $OUTPUT_DIR; seq -f %g.txt ${count} | xargs touch`;
      const options = { name, script, outputs, workspace: 'products', maxTries: 1, timeout: 200 };
      return queueJob(client, await createJobType(client, options));
    };
    const ids = [await leaving('too-many', FILES_MAX + 1), await leaving('many', FILES_MAX)];
    t.match(await jobIs(client, ids[0] as number, ['FAILED']), {
      error: { name: 'invalid-results-manifest' },
    });
    await jobIs(client, ids[1] as number, ['COMPLETED'], 240_000);
    t.equal(await client.count('/v6/files/?file_type=PRODUCT'), FILES_MAX, 'and nothing of the others');
  },
);

t.test('leftovers of a job: the node says what cannot be removed, and continues', asRoot, async (t) => {
  const { client, world, agent } = await startPair(t);
  const go = join(world.seenByTasks, 'go');
  const script = `mkdir $OUTPUT_DIR/held; until test -e ${go}; do sleep 0.1; done`;
  const id = await queueJob(client, await createJobType(client, { name: 'held', script }));
  const find = (): string[] => globSync(`${world.folder}/**/executions/*/output/held`);
  await until('the task has made its directory', () => find().length === 1);
  const [place] = find() as [string];
  t.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', place]).status, 0);
  const aside = (): string[] => globSync(`${world.folder}/**/leftovers/*/output/held`);
  t.teardown(() => [place, ...aside()].map((path) => spawnSync('umount', ['-q', path])));
  writeFileSync(go, '');
  await jobIs(client, id, ['COMPLETED']);
  const status = () => client.get<Status>('/v6/status/');
  await until('the status tells of it', async () => (await status()).nodes[0]?.warnings.length === 1);
  t.match((await status()).nodes, [
    { state: { name: 'READY' }, warnings: [{ name: 'LEFTOVERS', description: /leftovers\/\d+-1 .*EBUSY/ }] },
  ]);
  await jobIs(client, await queueJob(client, await createJobType(client, { name: 'next', script: 'true' })), [
    'COMPLETED',
  ]);
  t.notOk(agent.hasExited);
});
