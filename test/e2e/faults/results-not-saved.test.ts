/** Storage refuses what a task reported, for a reason that nobody foresaw: a trigger that somebody planted. */
import { readdirSync } from 'node:fs';
import pg from 'pg';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

/** Products of the first name are refused always, of the second five times: as if the disk were full. */
const TRIGGER = /* sql */ `
  create sequence full_tries;
  create function refuse_file() returns trigger language plpgsql as $$ begin
    if new.file_name = 'refused.txt' then raise exception 'nobody foresaw this'; end if;
    if new.file_name = 'full.txt' and nextval('full_tries') <= 5 then
      raise exception 'No space left on device' using errcode = '53100';
    end if;
    return new;
  end $$;
  create trigger refuse_file before insert on file for each row execute function refuse_file()`;

const OUTPUT = { name: 'OUT', pattern: '*.txt', mediaType: 'text/plain', required: true };
const NOT_SAVED = { name: 'results-not-saved', category: 'SYSTEM' };

interface RecipeDetails {
  readonly is_completed: boolean;
  readonly jobs_failed: number;
  readonly jobs_completed: number;
  readonly jobs_blocked: number;
}

t.test('a report that the database always refuses fails its job; a full disk only delays it', async (t) => {
  const url = await migratedDatabase(t);
  const { world, coordinator, client } = await startPair(t, { coordinator: { DATABASE_URL: url } });
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query(TRIGGER);
  await database.end();
  const broker = { type: 'host', host_path: world.at.archive };
  const archive = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker },
  });
  const typeOf = (name: string) =>
    createJobType(client, {
      name,
      script: `echo fine >$OUTPUT_DIR/${name}.txt`,
      outputs: [OUTPUT],
      workspace: archive.name,
      maxTries: 3,
    });
  const names = ['refused', 'full', 'fine'];
  const types = new Map(await Promise.all(names.map(async (name) => [name, await typeOf(name)] as const)));
  const queued = await Promise.all(
    names.map(async (name) => [name, await queueJob(client, types.get(name) ?? 0)] as const),
  );

  for (const [name, id] of queued) {
    const job = await jobIs(client, id, ['FAILED', 'COMPLETED'], 60_000);
    const expected = name === 'refused' ? { status: 'FAILED', error: NOT_SAVED } : { status: 'COMPLETED' };
    t.match(job, { ...expected, num_exes: 1 }, name);
    if (name === 'refused') t.match(job.execution, { status: 'FAILED', error: NOT_SAVED });
  }
  t.match(coordinator.log, /"event":"message_given_up"/);
  t.match(coordinator.log, /nobody foresaw this/, 'with its cause');

  const isGone = () => !filesBelow(world.at.archive).includes('refused.txt');
  await until('what it stored is removed', isGone);
  t.equal(await client.count('/v6/files/'), 2);

  const node = (name: string, ...dependencies: string[]) => ({
    dependencies: dependencies.map((one) => ({ name: one })),
    input: {},
    node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
  });
  const nodes = { a: node('refused'), b: node('fine'), c: node('fine', 'b'), d: node('fine', 'a') };
  const { id: recipe_type_id } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Both',
    definition: { input: {}, nodes },
  });
  const { id } = await client.post<{ id: number }>('/v6/recipes/', { recipe_type_id, input: {} });
  const recipe = await until('the recipe rests', async () => {
    const one = await client.get<RecipeDetails>(`/v6/recipes/${id}/`);
    // What is behind a failed job is blocked a moment later.
    return one.jobs_failed + one.jobs_completed === 3 && one.jobs_blocked > 0 ? one : undefined;
  });
  t.match(recipe, { is_completed: false, jobs_failed: 1, jobs_completed: 2, jobs_blocked: 1 });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => one.name);
}
