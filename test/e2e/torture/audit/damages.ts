/**
 * Damage to a finished world: things lost, doubled, stuck, miscounted and left over, and what the audit has to say of
 * each. All of it can be undone.
 */
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BAIT_DAMAGES } from './bait-damages.ts';
import type { Damage, Ground, Planted } from './damage.ts';
import type { FileSeen } from './observed.ts';
import { changeRows, doubleRow, inflateCounts, removeRows, type Undo } from './rows.ts';

interface Example {
  readonly name: string;
  readonly file: FileSeen;
  readonly one: FileSeen;
  readonly other: FileSeen;
  readonly recipe: number;
}

/** Sources of a strike whose two products were made once; damages that would hide each other take different ones. */
function example({ ledger, seen }: Ground, index: number): Example {
  const found = ledger.kept.flatMap((source): readonly Example[] => {
    const file = seen.files.find((one) => one.file_name === source.name);
    const products = seen.files.filter((one) => source.products.some(({ name }) => name === one.file_name));
    const [one, other] = products;
    if (source.by !== 'strike' || file === undefined || products.length !== 2) return [];
    return one?.recipe && other ? [{ name: source.name, file, one, other, recipe: one.recipe.id }] : [];
  });
  const chosen = found[index];
  if (chosen === undefined) throw new Error(`${found.length} sources have just their two products`);
  return chosen;
}

const archived = ({ all }: Ground, { file_path: path }: FileSeen) => join(all.world.at.archive, path);

/** A file that is not to be there. */
function extra(at: string, make: (at: string) => void, says: string): Promise<Planted> {
  make(at);
  return Promise.resolve({ says, undo: async () => rmSync(at, { recursive: true }) });
}

function harm(at: string, damage: (at: string) => void, says: string): Promise<Planted> {
  const content = readFileSync(at);
  damage(at);
  return Promise.resolve({ says, undo: async () => writeFileSync(at, content) });
}

async function withRows(undo: Promise<Undo>, says: string): Promise<Planted> {
  return { undo: await undo, says };
}

const FILES: readonly Damage[] = [
  {
    what: 'the bytes of a product are lost',
    plant: (ground) => {
      const { one } = example(ground, 0);
      const says = `demo-archive:${one.file_path}: on record, and nothing lies there`;
      return harm(archived(ground, one), (at) => rmSync(at), says);
    },
  },
  {
    what: 'the bytes of a source are changed',
    plant: (ground) => {
      const { name, file } = example(ground, 1);
      const says = `${name} (file ${file.id}): holds another content`;
      return harm(archived(ground, file), (at) => appendFileSync(at, 'more'), says);
    },
  },
  {
    what: 'a product is stored twice',
    plant: (ground) => {
      const { one } = example(ground, 1);
      const at = archived(ground, one);
      const says = `demo-archive:${one.file_path}.again: lies there, and is on no record`;
      return extra(`${at}.again`, (copy) => copyFileSync(at, copy), says);
    },
  },
  {
    what: 'a temporary name is left',
    plant: ({ all }) => {
      const says = 'demo-archive:.millrace-7.tmp: lies there, and is on no record';
      return extra(join(all.world.at.archive, '.millrace-7.tmp'), (at) => writeFileSync(at, 'half'), says);
    },
  },
  {
    what: 'an object is lost',
    plant: async ({ all, seen }) => {
      const { client, name } = all.store.bucket;
      const key = [...seen.stored.bucket.keys()].find((one) => one.startsWith('in/')) ?? '';
      const content = Buffer.concat(await (await client.getObject(name, key)).toArray());
      await client.removeObject(name, key);
      const undo = async () => void (await client.putObject(name, key, content));
      return { undo, says: `bucket:${key}: on record, and nothing lies there` };
    },
  },
  {
    what: 'a product of a purged source comes back',
    plant: ({ all, ledger }) => {
      const [purged] = ledger.purged;
      const name = purged?.products[0]?.name ?? '';
      const says = `purged ${purged?.name}: demo-archive:${name} still lies there`;
      return extra(join(all.world.at.archive, name), (at) => writeFileSync(at, 'back again'), says);
    },
  },
];

const RECORDS: readonly Damage[] = [
  {
    what: 'the record of a source is lost',
    plant: (ground) => {
      const { name, file } = example(ground, 2);
      return withRows(removeRows(ground.all, 'file', `id = ${file.id}`), `strike, ${name}: recorded 0 times`);
    },
  },
  {
    what: 'a product is recorded twice',
    plant: (ground) => {
      const { id, file_path: path, file_name: name } = example(ground, 3).one;
      const row = doubleRow(ground.all, 'file', `id = ${id}`, { file_path: `${path}.again` });
      return withRows(row, `product ${name}: 2 current ones`);
    },
  },
  {
    what: 'the ancestry of a product is lost',
    plant: (ground) => {
      const { id, file_name: name } = example(ground, 1).other;
      const row = removeRows(ground.all, 'file_ancestry', `descendant_id = ${id}`);
      return withRows(row, `product ${name} (file ${id}): descends from [], of the sources []`);
    },
  },
  {
    what: 'a record says another hash',
    plant: (ground) => {
      const { id, file_name: name } = example(ground, 0).other;
      const row = changeRows(ground.all, 'file', `id = ${id}`, { sha256: '0'.repeat(64) });
      return withRows(row, `${name} (file ${id}): has another hash than its content`);
    },
  },
  {
    what: 'a file is ingested twice',
    plant: (ground) => {
      const { file, name } = example(ground, 0);
      const row = doubleRow(ground.all, 'ingest', `source_file_id = ${file.id}`, { arrival: null });
      return withRows(row, `strike, ${name}: ingests are [INGESTED,INGESTED]`);
    },
  },
  {
    what: 'a file starts two recipes',
    plant: (ground) => {
      const { name, recipe } = example(ground, 3);
      const row = doubleRow(ground.all, 'recipe', `id = ${recipe}`, { ingest_id: null });
      return withRows(row, `strike, ${name}: has 2 current recipes`);
    },
  },
  {
    what: 'a recipe is lost',
    plant: (ground) => {
      const { name, recipe } = example(ground, 4);
      return withRows(
        removeRows(ground.all, 'recipe', `id = ${recipe}`),
        `strike, ${name}: has 0 current recipes`,
      );
    },
  },
  {
    what: 'a job is done twice',
    plant: (ground) => {
      const id = example(ground, 1).one.job?.id;
      const tries = ground.seen.jobs.find((job) => job.id === id)?.num_exes;
      const where = `job_id = ${id} and status = 'COMPLETED'`;
      return withRows(
        doubleRow(ground.all, 'job_exe', where, { exe_num: 900 }),
        `job ${id} (demo-describe): ${tries} executions on record, seen`,
      );
    },
  },
  {
    what: 'a member of a batch is lost',
    plant: ({ all, ledger }) => {
      const [batch] = ledger.batches;
      const row = removeRows(
        all,
        'recipe',
        `id = (select min(id) from recipe where batch_id = ${batch?.id})`,
      );
      return withRows(row, `batch ${batch?.id} (${batch?.title}): its members are [`);
    },
  },
  {
    what: 'a receipt of a purge is lost',
    plant: ({ all, ledger }) => {
      const [purged] = ledger.purged;
      const row = removeRows(all, 'purge', `file_id = ${purged?.purge?.fileId}`);
      return withRows(row, `purged ${purged?.name}: 0 receipts`);
    },
  },
];

const STUCK: readonly Damage[] = [
  {
    what: 'a job is stuck in the queue',
    plant: (ground) => {
      const job = example(ground, 5).one.job?.id;
      return withRows(
        changeRows(ground.all, 'job', `id = ${job}`, { status: 'QUEUED' }),
        `job ${job} (demo-describe): is QUEUED`,
      );
    },
  },
  {
    what: 'a job never begins',
    plant: (ground) => {
      const job = example(ground, 5).other.job?.id;
      return withRows(changeRows(ground.all, 'job', `id = ${job}`, { status: 'PENDING' }), `job ${job} (`);
    },
  },
  {
    what: 'an ingest never ends',
    plant: (ground) => {
      const { name, file } = example(ground, 5);
      const row = changeRows(ground.all, 'ingest', `source_file_id = ${file.id}`, { status: 'INGESTING' });
      return withRows(row, `strike, ${name}: ingests are [INGESTING]`);
    },
  },
  {
    what: 'a recipe never ends',
    plant: (ground) => {
      const { recipe } = example(ground, 5);
      const row = changeRows(ground.all, 'recipe', `id = ${recipe}`, {
        is_completed: false,
        completed: null,
      });
      return withRows(row, `recipe ${recipe} (demo-recipe): not complete`);
    },
  },
];

const COUNTED: readonly Damage[] = [
  {
    what: 'a recipe miscounts its jobs',
    plant: (ground) => {
      const { recipe } = example(ground, 0);
      const row = changeRows(ground.all, 'recipe', `id = ${recipe}`, { jobs_completed: 7 });
      return withRows(row, `counters of recipe ${recipe}: `);
    },
  },
  {
    what: 'a batch miscounts its jobs',
    plant: ({ all, ledger }) => {
      const batch = ledger.batches.at(-1)?.id;
      const row = { table: 'batch_count', column: 'jobs_completed', where: `batch_id = ${batch}` };
      return withRows(inflateCounts(all, row), `counters of batch ${batch}: `);
    },
  },
  {
    what: 'a list miscounts its files',
    plant: ({ all }) => {
      const rows = { table: 'list_count', column: 'count', where: "kind = 'file'" };
      return withRows(inflateCounts(all, rows), 'the count of /v6/files/');
    },
  },
  {
    what: 'types miscount their jobs',
    plant: ({ all }) => {
      const rows = { table: 'job_outcome', column: 'count', where: "status = 'COMPLETED'" };
      return withRows(inflateCounts(all, rows), 'ended jobs by type: ');
    },
  },
  {
    what: 'metrics are lost',
    // Metrics of ingests alone: to others some may still be added, since monitors end with the agents.
    plant: ({ all }) =>
      withRows(removeRows(all, 'hour_total', "kind like '%ingests'"), 'metrics of ingests: '),
  },
  {
    what: 'a change is lost',
    plant: ({ all }) => {
      const first = `kind = 'recipe' and id = (select min(id) from object_change where kind = 'recipe')`;
      return withRows(removeRows(all, 'object_change', first), 'recipe/');
    },
  },
];

const LEFT: readonly Damage[] = [
  {
    what: 'a container is left',
    plant: async ({ all: { containers, world } }) => {
      const Labels = { 'millrace.folder': join(world.folder, 'a1/executions'), 'millrace.job': '7' };
      const container = await containers.engine.createContainer({ Image: containers.image, Labels });
      return {
        says: `container ${container.id.slice(0, 12)} of job 7`,
        undo: () => container.remove({ force: true }),
      };
    },
  },
  {
    what: 'a folder of a task is left',
    plant: ({ all }) => {
      const at = join(all.world.folder, 'a1/executions/900');
      return extra(at, () => mkdirSync(at, { recursive: true }), `${at} is left`);
    },
  },
  {
    what: 'an upload was begun and never ended',
    plant: async ({ all: { store } }) => {
      const { client, name } = store.bucket;
      const id = await client.initiateNewMultipartUpload(name, 'half.txt', {});
      const undo = () => client.abortMultipartUpload(name, 'half.txt', id);
      return { says: 'an upload of half.txt was never ended', undo };
    },
  },
  {
    what: 'somebody helps',
    isRequest: true,
    plant: async ({ all }) => {
      await all.client('c1').post('/v6/jobs/requeue/', { job_ids: [1] });
      return { says: 'somebody helped: POST /v6/jobs/requeue/', undo: async () => undefined };
    },
  },
];

export const DAMAGES: readonly Damage[] = [
  ...FILES,
  ...RECORDS,
  ...STUCK,
  ...COUNTED,
  ...LEFT,
  ...BAIT_DAMAGES,
];
