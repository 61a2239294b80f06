/** Products in a bucket are purged: killed in the middle, with a slow store, without one, and where versions stay. */
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { keysOf, type TestBucket, testBucket } from '../../support/s3/bucket.ts';
import { type S3Way, s3Way } from '../../support/s3/s3-way.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import { drop } from '../harness/object-store.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { type PurgeShown, purge, purgeDone, type SourceFile } from '../harness/work/purge-work.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

const PRODUCTS = 40;
const FOREIGN = ['foreign/a.txt', 'kept/part-1.txt'];
const SOURCES = ['killed', 'slow', 'away', 'versions', 'kept'] as const;

/** Each file that arrives goes to the bucket, and a job makes many products of it there. */
async function createWork(world: World, client: InterfaceClient, broker: object): Promise<void> {
  const workspace = (title: string, configuration: object) =>
    client.post('/v6/workspaces/', { title, configuration });
  await workspace('Arrivals', { broker: { type: 'host', host_path: world.at.arrivals } });
  await workspace('Archive', { broker });
  await createJobType(client, {
    name: 'spread',
    script: `for i in $(seq ${PRODUCTS}); do echo $i >$OUTPUT_DIR/part-$i.txt; done; cat $INPUT >/dev/null`,
    inputs: [{ name: 'INPUT' }],
    outputs: [{ name: 'PARTS', pattern: 'part-*.txt', multiple: true }],
    workspace: 'archive',
  });
  await client.post('/v6/recipe-types/', {
    title: 'Spread',
    definition: {
      input: { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] },
      nodes: {
        spread: {
          dependencies: [],
          input: { INPUT: { type: 'recipe', input: 'FILE' } },
          node_type: {
            ...{ node_type: 'job', job_type_name: 'spread', job_type_version: '1.0.0' },
            job_type_revision: 1,
          },
        },
      },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Arrivals',
    configuration: {
      workspace: 'arrivals',
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [{ filename_regex: '.*', data_types: [], new_workspace: 'archive' }],
      recipe: { name: 'spread' },
    },
  });
  for (const name of SOURCES) drop(world, `${name}.txt`, `content of ${name}`);
  const completed = async () => (await client.count('/v6/recipes/?is_completed=true')) === SOURCES.length;
  await until('all products are made', completed, 120_000);
}

const isDelete = ({ method }: { readonly method: string }): boolean => method === 'DELETE';
const deletedKeys = (way: S3Way) => way.requests.filter(isDelete).map(({ url }) => url.pathname);

/** The receipt tells of every product, once. */
const RECEIPT = {
  removed: { source_files: 1, product_files: PRODUCTS, recipes: 1 },
  workspaces: [{ name: 'archive', files_removed: PRODUCTS }],
};

t.test('purges of files in a bucket', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  for (const key of FOREIGN) await bucket.client.putObject(bucket.name, key, 'foreign');
  const way = await s3Way(t, bucket.endpoint);
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc };
  const start = async () => {
    const coordinator = await world.start('coordinator', 'coordinator', env);
    return { coordinator, agent: await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc }) };
  };
  let programs = await start();
  const client = (): InterfaceClient => clientOf(programs.coordinator);
  const { name: bucket_name, credentials } = bucket;
  await createWork(world, client(), {
    type: 'objstore',
    ...{ bucket_name, endpoint: way.endpoint, credentials },
  });
  const begin = async (name: (typeof SOURCES)[number]) => {
    const files = await listed<SourceFile>(client(), `/v6/files/?file_type=SOURCE&file_name=${name}.txt`);
    way.forget();
    return purge(client(), files[0]?.id ?? 0);
  };
  /** Ends with the receipt and no key too many or too few. */
  const check = async (t: Test, location: string, purgedCount: number): Promise<PurgeShown> => {
    const shown = await purgeDone(client, location, 90_000);
    t.match(shown, RECEIPT);
    const keys = await keysOf(bucket.client, bucket.name);
    const productCount = (SOURCES.length - purgedCount) * PRODUCTS;
    t.equal(keys.length, FOREIGN.length + SOURCES.length + productCount, 'nothing else is gone');
    for (const key of [...FOREIGN, ...SOURCES.map((name) => `${name}.txt`)]) t.ok(keys.includes(key), key);
    return shown;
  };

  await t.test('a purge is killed in the middle', async (t) => {
    let deleteCount = 0;
    way.fate = (request) => {
      if (isDelete(request)) deleteCount += 1;
      return isDelete(request) && deleteCount > PRODUCTS / 4 ? 'held' : 'served';
    };
    const location = await begin('killed');
    await until('some are removed, some asked for', () => deleteCount > PRODUCTS / 4 + 2);
    await Promise.all([programs.coordinator.end('SIGKILL'), programs.agent.end('SIGKILL')]);
    way.fate = () => 'served';
    programs = await start();
    const { problems } = await check(t, location, 1);
    t.strictSame(problems, []);
  });

  await t.test('a purge works with a store that takes a second for each answer', async (t) => {
    way.fate = () => 1_000;
    const location = await begin('slow');
    const { problems } = await check(t, location, 2);
    t.strictSame(problems, []);
    t.equal(new Set(deletedKeys(way)).size, deletedKeys(way).length, 'none is asked for twice');
    way.fate = () => 'served';
  });

  await t.test('a purge waits while the store is away', async (t) => {
    way.fate = () => 'lost';
    const location = await begin('away');
    const waiting = await until('it waits', async () => {
      const shown = await client().get<PurgeShown>(location);
      return shown.status === 'WAITING' && shown;
    });
    t.match(waiting.reason, /^workspace 'archive': /);
    t.same(waiting.removed, {});
    way.fate = () => 'served';
    const { problems, reason } = await check(t, location, 3);
    t.strictSame([problems, reason], [[], null]);
  });

  await t.test('a purge removes all versions where the bucket keeps them', async (t) => {
    await bucket.client.setBucketVersioning(bucket.name, { Status: 'Enabled' });
    t.teardown(() => forgetVersions(bucket));
    const shown = await check(t, await begin('versions'), 4);
    t.match(shown.problems, [{ name: 'VERSIONS_KEPT', description: /'archive' keeps what is removed/ }]);
    t.equal(shown.problems.length, 1, 'it is said once');
  });
});

/** What a delete has left: else the bucket cannot be removed. */
async function forgetVersions({ client, name }: TestBucket): Promise<void> {
  const versions: { name: string; versionId: string }[] = [];
  const all = client.listObjects(name, '', true, { IncludeVersion: true }) as AsyncIterable<{
    name?: string;
    versionId?: string;
  }>;
  for await (const { name: key, versionId } of all) {
    if (key !== undefined && versionId !== undefined) versions.push({ name: key, versionId });
  }
  await client.removeObjects(name, versions);
}
