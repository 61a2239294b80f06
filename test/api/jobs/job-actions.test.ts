import t from 'tap';
import { savedJob } from '../../store/make.ts';
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
    await set(`status = '${status}', started = now()`);
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

t.test(
  'jobs: the list has those that wait for input, without those of scans that nobody has started',
  async (t) => {
    const { get, store } = await processingWorld(t);
    const waiting = await savedJob(store, { status: 'PENDING' });
    const scanned = await savedJob(store, { status: 'PENDING' });
    await store.rows(`update job set owner_kind = 'scan' where id = $1`, [scanned.id]);
    await savedJob(store);
    const ids = async (query: string): Promise<number[]> =>
      (await get(`/v6/jobs/?order=id&${query}`)).json.results.map((one: { id: number }) => one.id);
    t.strictSame(await ids('waits_for=input'), [waiting.id]);
    t.strictSame(await ids('status=PENDING'), [waiting.id, scanned.id]);
    t.equal((await get('/v6/jobs/?waits_for=x')).status, 400);
  },
);
