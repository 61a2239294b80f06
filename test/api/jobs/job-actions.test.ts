import t from 'tap';
import { savedJob, savedRecipe } from '../../store/make.ts';
import { processingWorld } from '../../support/worlds/processing-world.ts';

t.test('jobs: details say what requests would change', async (t) => {
  const world = await processingWorld(t);
  const { id } = await savedJob(world.store);
  const set = (text: string) => world.store.rows(`update job set ${text} where id = $1`, [id]);
  const actions = async () => (await world.get(`/v6/jobs/${id}/`)).json.actions;
  const expected = {
    ...{ PENDING: ['cancel'], BLOCKED: ['cancel'], QUEUED: ['requeue', 'cancel'] },
    ...{
      RUNNING: ['requeue', 'cancel'],
      FAILED: ['requeue', 'cancel'],
      COMPLETED: [],
      CANCELED: ['requeue'],
    },
  };
  for (const [status, wanted] of Object.entries(expected)) {
    await set(`status = '${status}'`);
    t.strictSame(await actions(), wanted, status);
  }
  await set(`status = 'FAILED', is_superseded = true`);
  t.strictSame(await actions(), ['cancel'], 'superseded');
  await set('is_superseded = false');
  await world.store.rows(
    'update job_type set deleted = now() where id = (select job_type_id from job where id = $1)',
    [id],
  );
  t.strictSame(await actions(), ['cancel'], 'its type is deleted');
});

t.test('jobs: the list has jobs of recipes, or the others', async (t) => {
  const { get, store } = await processingWorld(t);
  const { id: recipeId } = await savedRecipe(store);
  const inside = await savedJob(store, { recipeId, recipeIds: [recipeId], recipeNode: 'a' });
  const alone = await savedJob(store);
  const ids = async (query: string): Promise<number[]> =>
    (await get(`/v6/jobs/?order=id&${query}`)).json.results.map((one: { id: number }) => one.id);
  t.strictSame(await ids('has_recipe=true'), [inside.id]);
  t.strictSame(await ids('has_recipe=false'), [alone.id]);
  t.strictSame(await ids(''), [inside.id, alone.id]);
});
