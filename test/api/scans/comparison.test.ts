/** A scan beside those of its workspace before it. */
import t from 'tap';
import { makeArrival } from '../../store/make.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';

t.test('comparison: scans of the same workspace, what they counted, and their ingests', async (t) => {
  const world = await platformWorld(t);
  const { store } = world;
  const make = async (title: string, workspace: string): Promise<number> => {
    const configuration = {
      workspace,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '.*' }],
    };
    return (await world.post('/v6/scans/', { title, configuration })).json.id;
  };
  const first = await make('first', 'in');
  const elsewhere = await make('elsewhere', 'out');
  const second = await make('second', 'in');
  const later = await make('later', 'in');
  const counts = { mode: 'ingest', matched: 3, unmatched: 2, by_rule: [3] };
  await store.rows('update scan set counts = $2 where id = $1', [first, JSON.stringify(counts)]);
  const type = await store.one<{ id: number; rev: number }>(
    `select t.id, r.id as rev from job_type t join job_type_rev r on r.job_type_id = t.id
     where t.name = 'millrace-ingest'`,
  );
  const template = {
    ...{ shard: 1, priority: 1, maxTries: 3, timeoutS: 0, jobTypeId: type.id, jobTypeRevId: type.rev },
  };
  const arrivals = [
    await makeArrival(store, { filePath: 'x/a.txt' }),
    await makeArrival(store, { filePath: 'x/b.txt', identity: 'content-2' }),
  ];
  const owner = { kind: 'scan', key: first } as const;
  await store.apply({ type: 'recordArrivals', owner, template, arrivals });

  const found = (await world.get(`/v6/scans/${second}/comparison/`)).json.scans;
  t.match(found, [
    {
      id: first,
      title: 'first',
      mode: 'ingest',
      matched: 3,
      unmatched: 2,
      ingests: { live: 2, ingested: 0 },
    },
    { id: second, title: 'second', mode: null, matched: null, ingests: { live: 0, errored: 0 } },
  ]);
  t.equal(found.length, 2, 'neither later ones nor those of other workspaces');
  t.strictSame(
    (await world.get(`/v6/scans/${elsewhere}/comparison/`)).json.scans.map((one: { id: number }) => one.id),
    [elsewhere],
  );
  t.equal((await world.get(`/v6/scans/${later + 1}/comparison/`)).status, 404);
});

t.test('comparison: at most four scans before it', async (t) => {
  const world = await platformWorld(t);
  const ids: number[] = [];
  for (const title of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const files_to_ingest = [{ filename_regex: '.*' }];
    const configuration = { workspace: 'in', scanner: { type: 'dir' }, files_to_ingest };
    ids.push((await world.post('/v6/scans/', { title, configuration })).json.id);
  }
  const { scans } = (await world.get(`/v6/scans/${ids.at(-1)}/comparison/`)).json;
  t.strictSame(
    scans.map((one: { id: number }) => one.id),
    ids.slice(1),
  );
});
