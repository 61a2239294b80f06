/** Products are stored where strikes watch: they are no arrivals, and nothing goes round in circles. */
import { readdirSync } from 'node:fs';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { testBucket } from '../../support/s3/bucket.ts';
import { listsAmong, s3Way } from '../../support/s3/s3-way.ts';
import { needs } from '../../support/services/services.ts';
import { drop } from '../harness/object-store.ts';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

interface FileRecord {
  readonly id: number;
  readonly file_type: string;
  readonly file_path: string;
}

/** A recipe whose job stores what it is given once more, in the same workspace. */
async function copyInto(
  client: InterfaceClient,
  broker: object,
  productPath: 'long' | 'own' = 'long',
): Promise<void> {
  await client.post('/v6/workspaces/', { title: 'Round', configuration: { broker } });
  await createJobType(client, {
    name: 'copy',
    script: 'cat $INPUT >$OUTPUT_DIR/copy-$(basename $INPUT)',
    inputs: [{ name: 'INPUT' }],
    outputs: [{ name: 'COPY', pattern: '*.txt', required: true }],
    workspace: 'round',
    productPath,
  });
  const node_type = { node_type: 'job', job_type_name: 'copy', job_type_version: '1.0.0' };
  await client.post('/v6/recipe-types/', {
    title: 'Copy',
    definition: {
      input: { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] },
      nodes: {
        copy: {
          dependencies: [],
          input: { INPUT: { type: 'recipe', input: 'FILE' } },
          node_type: { ...node_type, job_type_revision: 1 },
        },
      },
    },
  });
}

const strikeOf = (monitor: object, rule: object = {}) => ({
  title: 'Round',
  configuration: {
    workspace: 'round',
    monitor,
    files_to_ingest: [{ filename_regex: '.*\\.txt$', data_types: [], ...rule }],
    recipe: { name: 'copy' },
  },
});

const completed = (client: InterfaceClient, count: number) =>
  until(
    `${count} recipes are complete`,
    async () => (await client.count('/v6/recipes/?is_completed=true')) >= count,
  );

t.test(
  'products in a bucket that strikes watch and a scan lists are nobody’s arrivals',
  needs('s3'),
  async (t) => {
    const bucket = await testBucket(t);
    const way = await s3Way(t, bucket.endpoint);
    const { client } = await startPair(t);
    const { name: bucket_name, credentials } = bucket;
    await copyInto(client, { type: 'objstore', bucket_name, endpoint: way.endpoint, credentials });
    // One would let a product lie, the other would move it away: neither may.
    const monitor = { type: 'objstore', queue_name: 'round', list_every_ms: 1_000 };
    await client.post('/v6/strikes/', strikeOf(monitor));
    await bucket.client.putObject(bucket.name, 'in/a.txt', 'content');
    await completed(client, 1);
    await client.post('/v6/strikes/', strikeOf(monitor, { filename_regex: 'copy', new_file_path: 'moved' }));
    way.forget();
    await bucket.client.putObject(bucket.name, 'in/last.txt', 'seen after all that was there before');
    await completed(client, 2);
    // Two listings of each strike that began after the last product was stored.
    const before = listsAmong(way.requests).length;
    await until('it is listed again', () => listsAmong(way.requests).length >= before + 6);
    const scan = {
      workspace: 'round',
      scanner: { type: 'objstore' },
      files_to_ingest: [{ filename_regex: 'copy' }],
    };
    const { id } = await client.post<{ id: number }>('/v6/scans/', { title: 'Round', configuration: scan });
    await client.post(`/v6/scans/${id}/process/`, { ingest: true });
    await until('it is scanned', async () => {
      const shown = await client.get<{ job: { status: string } }>(`/v6/scans/${id}/`);
      return shown.job.status === 'COMPLETED';
    });
    t.equal(await client.count('/v6/recipes/'), 2, 'a recipe for each file that came, and no more');
    const files = await listed<FileRecord>(client, '/v6/files/');
    t.equal(files.filter(({ file_type }) => file_type === 'SOURCE').length, 2);
    for (const { id, file_path } of files) {
      const { status } = await fetch(new URL(`/v6/files/${id}/content/`, client.base));
      t.equal(status, 200, `${file_path} is where it was stored`);
    }
    t.equal(await client.count('/v6/ingests/?file_name=copy-a.txt'), 0);
  },
);

for (const productPath of ['long', 'own'] as const)
  t.test(
    `products at ${productPath} paths in a directory that a strike watches and a scan lists are no arrivals`,
    async (t) => {
      const { world, client } = await startPair(t);
      await copyInto(client, { type: 'host', host_path: world.at.arrivals }, productPath);
      await client.post('/v6/strikes/', strikeOf({ type: 'dir-watcher', transfer_suffix: '_tmp' }));
      drop(world, 'a.txt', 'content');
      await completed(client, 1);
      const scan = {
        workspace: 'round',
        scanner: { type: 'dir' },
        files_to_ingest: [{ filename_regex: 'copy' }],
      };
      const { id } = await client.post<{ id: number }>('/v6/scans/', { title: 'Round', configuration: scan });
      await client.post(`/v6/scans/${id}/process/`, { ingest: true });
      await until('it is scanned', async () => {
        const shown = await client.get<{ file_count: number; job: { status: string } }>(`/v6/scans/${id}/`);
        return shown.job.status === 'COMPLETED' && shown.file_count === 1;
      });
      drop(world, 'b.txt', 'another');
      await completed(client, 2);
      t.equal(await client.count('/v6/recipes/'), 2);
      t.equal(await client.count('/v6/ingests/?file_name=copy-a.txt'), 0);
      if (productPath === 'long') return;

      const paths = (await listed<FileRecord>(client, '/v6/files/')).map(({ file_path: path }) => path);
      t.strictSame(paths.sort(), ['a.txt', 'b.txt', 'copy-a.txt', 'copy-b.txt']);
      const source = (await listed<FileRecord>(client, '/v6/files/?file_name=a.txt'))[0];
      await client.post('/v6/files/purge-source/', { file_id: source?.id, delete_source_bytes: true });
      await until(
        'the source is purged',
        async () => (await client.count('/v6/purges/?is_completed=true')) === 1,
      );
      const left = readdirSync(world.at.arrivals).filter((name) => !name.startsWith('.'));
      t.strictSame(left.sort(), ['b.txt', 'copy-b.txt']);
      drop(world, 'a.txt', 'newer content');
      await completed(client, 2);
      const made = await until('the path is free again', async () => {
        const found = await listed<FileRecord>(client, '/v6/files/?file_type=PRODUCT&file_name=copy-a.txt');
        return found.length === 1 && found;
      });
      t.equal(made[0]?.file_path, 'copy-a.txt');
    },
  );
