import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { StoredFile } from '../../../src/cli/demo/demo-check.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { type Pair, startPair } from '../harness/pair.ts';
import { checkDisk, listed } from '../harness/quiet.ts';
import { stays, until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import type { World } from '../harness/world.ts';

interface Ingest {
  readonly id: number;
  readonly file_name: string;
  readonly status: string;
  readonly source_file: { readonly id: number; readonly file_path: string } | null;
}

interface Strike {
  readonly configuration: { readonly files_to_ingest: readonly object[] };
}

async function begin(test: Parameters<typeof startPair>[0]): Promise<Pair & { work: DemoWork }> {
  const pair = await startPair(test);
  return { ...pair, work: await DemoWork.create(pair.world, pair.client, 0) };
}

/** As careful senders do. */
function drop(world: World, name: string, content: string | Buffer): void {
  writeFileSync(join(world.at.arrivals, `${name}_tmp`), content);
  renameSync(join(world.at.arrivals, `${name}_tmp`), join(world.at.arrivals, name));
}

/** Resolves with the ingests of a name, oldest first, once there are so many and all are in one of the states. */
function ingestsOf(
  client: InterfaceClient,
  name: string,
  states: readonly string[],
  count = 1,
): Promise<Ingest[]> {
  return until(`${count} ingests of ${name}: ${states}`, async () => {
    const ingests = await listed<Ingest>(client, `/v6/ingests/?file_name=${name}`);
    return ingests.length === count && ingests.every((one) => states.includes(one.status)) && ingests;
  });
}

t.test('a file that no rule takes waits where it is, and is ingested once a rule takes it', async (t) => {
  const { world, client, work } = await begin(t);
  drop(world, 'notes.txt', 'nobody wants me');
  drop(world, 'seen.json', '{}');
  await ingestsOf(client, 'notes.txt', ['DEFERRED']);
  t.ok(existsSync(join(world.at.arrivals, 'notes.txt')), 'it stays where it is');
  await ingestsOf(client, 'seen.json', ['INGESTED']);

  const path = `/v6/strikes/${work.strikeId}/`;
  const { configuration } = await client.get<Strike>(path);
  const rule = {
    filename_regex: '.*\\.txt$',
    data_types: ['note'],
    new_workspace: 'demo-archive',
    new_file_path: 'notes',
  };
  const files_to_ingest = [...configuration.files_to_ingest, rule];
  await client.patch(path, { configuration: { ...configuration, files_to_ingest } });
  const [ingest] = await ingestsOf(client, 'notes.txt', ['INGESTED']);
  t.equal(
    readFileSync(join(world.at.archive, ingest?.source_file?.file_path ?? ''), 'utf8'),
    'nobody wants me',
  );
  await until('it has moved', () => !existsSync(join(world.at.arrivals, 'notes.txt')));
  await until(
    'both recipes are complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === 2,
  );
  await checkDisk(t, world, client);
});

t.test('a file that arrives again is a duplicate; other content gets a directory of its own', async (t) => {
  const { world, client } = await begin(t);
  const content = randomBytes(100).toString('hex');
  drop(world, 'a.json', content);
  const [first] = await ingestsOf(client, 'a.json', ['INGESTED']);
  drop(world, 'a.json', content);
  const [, again] = await ingestsOf(client, 'a.json', ['INGESTED', 'DUPLICATE'], 2);
  t.equal(again?.status, 'DUPLICATE');
  t.equal(again?.source_file?.id, first?.source_file?.id, 'it names the file that it is');
  t.ok(existsSync(join(world.at.arrivals, 'a.json')), 'what was not stored is not removed');

  drop(world, 'a.json', `${content}!`);
  const [, , other] = await ingestsOf(client, 'a.json', ['INGESTED', 'DUPLICATE'], 3);
  t.equal(other?.status, 'INGESTED');
  t.match(other?.source_file?.file_path, new RegExp(`/${other?.id}/a\\.json$`), 'beside what is there');
  await until(
    'two recipes are complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === 2,
  );
  t.equal(await client.count('/v6/recipes/'), 2, 'a duplicate starts no recipe');
  const sources = await listed<StoredFile>(client, '/v6/files/?file_type=SOURCE');
  t.strictSame(
    sources.map((file) => readFileSync(join(world.at.archive, file.file_path), 'utf8')),
    [content, `${content}!`],
    'nothing that is stored was written over',
  );
  await checkDisk(t, world, client);
});

t.test('a file that grows is left alone until it stays unchanged', async (t) => {
  const { world, client } = await begin(t);
  const path = join(world.at.arrivals, 'growing.json');
  writeFileSync(path, '[');
  // Written in place and without a suffix: complete after 2 s of silence, which never pass meanwhile, however long
  // the service takes to answer.
  const writing = setInterval(() => appendFileSync(path, '1,'), 50);
  t.teardown(() => clearInterval(writing));
  const isLeftAlone = await stays(async () => {
    const ingests = await listed<Ingest>(client, '/v6/ingests/?file_name=growing.json');
    return ingests.every((one) => one.status === 'TRANSFERRING');
  }, 4_000);
  clearInterval(writing);
  t.ok(isLeftAlone);
  appendFileSync(path, '1]');
  const whole = readFileSync(path, 'utf8');
  const [ingest] = await ingestsOf(client, 'growing.json', ['INGESTED']);
  t.equal(readFileSync(join(world.at.archive, ingest?.source_file?.file_path ?? ''), 'utf8'), whole);
});
