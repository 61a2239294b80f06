/** A coordinator that is killed while many recipe types follow a new revision: each follows once. */
import pg from 'pg';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';

/** Several pages. */
const USERS = 50;

interface Update {
  readonly id: number;
  readonly status: string;
  readonly recipe_types_total: number;
  readonly recipe_types_raised: number;
  readonly recipe_types_behind: number;
}

t.test('type updates: a coordinator killed in the middle of one continues with it', async (t) => {
  const world = await createWorld(t);
  const url = await migratedDatabase(t);
  const env = { DATABASE_URL: url };
  let coordinator = await world.start('coordinator', 'coordinator', env);
  const client = () => clientOf(coordinator);
  const sketch = { name: 'worker', script: 'true' };
  await createJobType(client(), sketch);
  const work = {
    dependencies: [],
    input: {},
    node_type: { node_type: 'job', job_type_name: 'worker', job_type_version: '1.0.0' },
  };
  for (let n = 0; n < USERS; n += 1) {
    await client().post('/v6/recipe-types/', {
      title: `User ${n}`,
      definition: { input: {}, nodes: { work } },
    });
  }
  // Somebody holds the row of the last one: the update stands still in the middle.
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('begin');
  await holder.query(`select from recipe_type where name = 'user-${USERS - 1}' for no key update`);

  await createJobType(client(), { ...sketch, script: 'echo again' });
  const shown = async (): Promise<Update | undefined> => {
    const { results } = await client().get<{ results: Update[] }>('/v6/type-updates/');
    return results[0];
  };
  const middle = await until('the update has begun', async () => {
    const update = await shown();
    return update !== undefined && update.recipe_types_raised > 0 && update;
  });
  t.equal(middle.status, 'RUNNING');
  t.equal(middle.recipe_types_total, USERS);
  t.ok(middle.recipe_types_raised < USERS);
  await coordinator.end();
  await holder.query('rollback');
  coordinator = await world.start('coordinator', 'coordinator', env);

  const done = await until('the update is done', async () => {
    const update = await shown();
    return update?.status === 'COMPLETED' && update;
  });
  t.match(done, { id: middle.id, recipe_types_raised: USERS, recipe_types_behind: 0 });
  const { results } = await client().get<{ results: { name: string; revision_num: number }[] }>(
    '/v6/recipe-types/?is_system=false&page_size=1000',
  );
  const users = results.filter(({ name }) => name.startsWith('user-'));
  t.equal(users.length, USERS);
  t.same(
    users.filter(({ revision_num }) => revision_num !== 2),
    [],
    'each has one more revision',
  );
});
