/**
 * A large bucket is listed while everything is killed: the listing continues after the last key that was recorded. What
 * the store was asked for shows it.
 */
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { type TestBucket, testBucket } from '../../support/s3/bucket.ts';
import { isList, listsAmong, type S3Way, s3Way } from '../../support/s3/s3-way.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

/** Three pages of the store, and of the listing. */
const OBJECTS = 2_100;
const PAGE = 1_000;
const DAY_MS = 86_400_000;
const AT_ONCE = 20;

const keyAt = (index: number): string => `in/${String(index).padStart(5, '0')}.txt`;

async function fill({ client, name }: TestBucket): Promise<void> {
  let next = 0;
  const put = async (): Promise<void> => {
    for (let index = next++; index < OBJECTS; index = next++)
      await client.putObject(name, keyAt(index), `${index}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, put));
}

/** The second request that continues with a list waits: the pages before it are on their way, one of them held back. */
function holdThird(way: S3Way): void {
  let listCount = 0;
  way.fate = (request) => {
    if (isList(request)) listCount += 1;
    return listCount >= 3 ? 'held' : 'served';
  };
}

const startAfter = (way: S3Way) => listsAmong(way.requests).map((one) => one.get('start-after'));
const continued = (way: S3Way) => listsAmong(way.requests).map((one) => one.has('continuation-token'));

t.test('a bucket whose listing is killed is listed from where it stopped', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  await fill(bucket);
  const way = await s3Way(t, bucket.endpoint);
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc };
  const start = async () => {
    const coordinator = await world.start('coordinator', 'coordinator', env);
    const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
    return { coordinator, agent };
  };
  let programs = await start();
  const client = (): InterfaceClient => clientOf(programs.coordinator);
  const killAll = async (): Promise<void> => {
    await Promise.all([programs.coordinator.end('SIGKILL'), programs.agent.end('SIGKILL')]);
    way.forget();
    way.fate = () => 'served';
    programs = await start();
  };
  const { credentials } = bucket;
  const broker = { type: 'objstore', bucket_name: bucket.name, endpoint: way.endpoint, credentials };
  await client().post('/v6/workspaces/', { title: 'Bucket', configuration: { broker } });
  // Nothing is taken, so that nothing is asked of the store but the lists.
  const rules = [{ filename_regex: '.*\\.csv$' }];

  await t.test('the listing of a scan', async (t) => {
    const configuration = { workspace: 'bucket', scanner: { type: 'objstore' }, files_to_ingest: rules };
    const { id } = await client().post<{ id: number }>('/v6/scans/', { title: 'Bucket', configuration });
    const counts = async () => {
      const { counts } = await client().get<{ counts: { unmatched: number } | null }>(`/v6/scans/${id}/`);
      return counts?.unmatched;
    };
    holdThird(way);
    await client().post(`/v6/scans/${id}/process/`, {});
    await until('a page is recorded', async () => (await counts()) === PAGE);
    await killAll();
    await until('all are counted', async () => (await counts()) === OBJECTS);
    t.strictSame(startAfter(way), [keyAt(PAGE - 1), null], 'the first page is not listed again');
    t.strictSame(continued(way), [false, true]);
  });

  await t.test('the listing of a strike', async (t) => {
    const FILE = { name: 'FILE', required: true, multiple: false, media_types: [] };
    const definition = { input: { files: [FILE], json: [] }, nodes: {} };
    await client().post('/v6/recipe-types/', { title: 'Nothing', definition });
    const configuration = {
      workspace: 'bucket',
      monitor: { type: 'objstore', queue_name: 'nobody-tells', list_every_ms: DAY_MS },
      files_to_ingest: rules,
      recipe: { name: 'nothing' },
    };
    const recorded = () => client().count('/v6/ingests/?status=DEFERRED');
    way.forget();
    holdThird(way);
    await client().post('/v6/strikes/', { title: 'Bucket', configuration });
    await until('a page is recorded', async () => (await recorded()) === PAGE);
    await killAll();
    await until('all are recorded', async () => (await recorded()) === OBJECTS);
    t.strictSame(startAfter(way), [keyAt(PAGE - 1), null], 'the first page is not listed again');
    t.strictSame(continued(way), [false, true]);
  });
});
