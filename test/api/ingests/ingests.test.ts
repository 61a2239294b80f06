import t from 'tap';
import { INGEST_STATUSES } from '../../../src/domain/ingest/ingest.ts';
import { makeArrival } from '../../store/make.ts';
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts';

/** A strike on `in`, two ingests of it: one whose file is stored in `out`, one that no rule took. */
async function twoIngests(world: PlatformWorld) {
  const { store } = world;
  await world.recipeType('takes-file', [{ name: 'F', required: true }]);
  const configuration = {
    workspace: 'in',
    monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
    files_to_ingest: [
      { filename_regex: 'a', new_workspace: 'out', new_file_path: 'n' },
      { filename_regex: 'b' },
    ],
    recipe: { name: 'takes-file' },
  };
  const strike = (await world.post('/v6/strikes/', { title: 'S', configuration })).json;
  const type = await store.one<{ id: number; rev: number }>(
    `select t.id, r.id as rev from job_type t join job_type_rev r
       on r.job_type_id = t.id where t.name = 'millrace-ingest'`,
  );
  const stored = await makeArrival(store, {
    ...{
      filePath: 'x/aB.txt',
      fileName: 'aB.txt',
      newWorkspaceId: store.ids.out,
      newFilePath: 'n/2026/01/02/aB.txt',
    },
  });
  const deferred = await makeArrival(store, {
    ...{
      filePath: 'x/c.txt',
      fileName: 'c.txt',
      status: 'DEFERRED',
      reason: 'no rule',
      identity: 'content-2',
    },
  });
  await store.apply({
    type: 'recordArrivals',
    owner: { kind: 'strike', key: strike.id },
    template: {
      ...{ shard: 1, priority: 10, maxTries: 10, timeoutS: 0 },
      ...{ jobTypeId: type.id, jobTypeRevId: type.rev },
    },
    arrivals: [stored, deferred],
  });
  const file = await world.file({
    fileName: 'aB.txt',
    workspaceId: store.ids.out,
    filePath: 'n/2026/01/02/aB.txt',
  });
  await store.rows(`update ingest set source_file_id = $1, status = 'INGESTED' where id = $2`, [
    ...[file, stored.ingestId],
  ]);
  return { strike, type, stored: stored.ingestId, deferred: deferred.ingestId, job: stored.jobId, file };
}

t.test('ingests: details show both workspaces, the strike in both shapes, and the stored file', async (t) => {
  const world = await platformWorld(t);
  const { strike, stored, deferred, job, file } = await twoIngests(world);
  const { ids } = world.store;

  const { status, json, text } = await world.get(`/v6/ingests/${stored}/`);

  t.equal(status, 200, text);
  t.match(json, {
    ...{ id: stored, file_name: 'aB.txt', file_path: 'x/aB.txt', status: 'INGESTED', file_size: 10 },
    ...{ media_type: 'text/plain', data_type_tags: ['tag'], scan: null, job: { id: job } },
    ...{ new_file_path: 'n/2026/01/02/aB.txt', data_started: null, data_ended: null },
    strike: {
      ...{ id: strike.id, name: 's', title: 'S', job: { id: strike.job.id } },
      configuration: {
        ...{ workspace: 'in', monitor: { type: 'dir-watcher' }, recipe: { name: 'takes-file' } },
        ...{ transfer_suffix: '_tmp', mount: '/in', mount_on: '/workspaces/in' },
        files_to_ingest: [
          { filename_regex: 'a', new_workspace: 'out', workspace_path: 'n', workspace_name: 'out' },
          { filename_regex: 'b', workspace_path: null, workspace_name: 'in' },
        ],
      },
    },
    workspace: { id: ids.in, name: 'in', json_config: { broker: { type: 'host', host_path: '/in' } } },
    new_workspace: { id: ids.out, name: 'out', json_config: { broker: { host_path: '/out' } } },
    source_file: {
      ...{
        id: file,
        workspace: { id: ids.out, name: 'out' },
        is_deleted: false,
        is_parsed: false,
        parsed: null,
      },
      ...{ url: `http://localhost:8080/v6/files/${file}/content/`, uuid: String, meta_data: {} },
    },
  });
  t.match((await world.get(`/v6/ingests/${deferred}/`)).json, {
    ...{ status: 'DEFERRED', reason: 'no rule', job: null, source_file: null, new_workspace: null },
  });
  t.equal((await world.get('/v6/ingests/9999/')).status, 404);

  const { configuration } = json.strike;
  const back = await world.post('/v6/strikes/validation/', { title: 'S', configuration });
  t.match(back.json, { is_valid: true, warnings: [{ name: 'IGNORED_FIELD', path: 'configuration.mount' }] });
  const [rule, ...rules] = configuration.files_to_ingest;
  const wrong: readonly (readonly [object, string])[] = [
    [{ transfer_suffix: '_other' }, 'transfer_suffix'],
    [{ mount_on: '/elsewhere' }, 'mount_on'],
    [{ files_to_ingest: [{ ...rule, workspace_path: 'm' }, ...rules] }, 'files_to_ingest[0].workspace_path'],
    [{ files_to_ingest: [{ ...rule, workspace_name: 'in' }, ...rules] }, 'files_to_ingest[0].workspace_name'],
  ];
  for (const [change, path] of wrong) {
    const changed = { title: 'S', configuration: { ...configuration, ...change } };
    const refused = await world.post('/v6/strikes/validation/', changed);
    const description = /must be absent or the same as/;
    t.match(
      refused.json,
      { is_valid: false, errors: [{ path: `configuration.${path}`, description }] },
      path,
    );
  }
});

t.test('ingests: a file that is tried again keeps the time of its arrival', async (t) => {
  const world = await platformWorld(t);
  const { strike, deferred, type } = await twoIngests(world);
  const path = `/v6/ingests/${deferred}/`;
  const { transfer_started, transfer_ended } = (await world.get(path)).json;
  const laterMs = Date.parse(transfer_ended) + 13_000_000;
  const again = await makeArrival(world.store, {
    ...{ filePath: 'x/c.txt', fileName: 'c.txt', identity: 'content-2' },
    ...{ atMs: laterMs, firstSeenMs: laterMs },
  });
  await world.store.apply({
    type: 'recordArrivals',
    owner: { kind: 'strike', key: strike.id },
    template: {
      ...{ shard: 1, priority: 10, maxTries: 10, timeoutS: 0 },
      ...{ jobTypeId: type.id, jobTypeRevId: type.rev },
    },
    arrivals: [again],
  });
  t.match((await world.get(path)).json, { status: 'TRANSFERRED', transfer_started, transfer_ended });
});

t.test('ingests: secrets of workspaces and strikes are masked in details', async (t) => {
  const world = await platformWorld(t);
  const { stored } = await twoIngests(world);
  const credentials = { access_key_id: 'KEYID', secret_access_key: 'hush-hush' };
  await world.store.rows(`update workspace set configuration = $1`, [
    JSON.stringify({ broker: { type: 'objstore', bucket_name: 'abc', credentials } }),
  ]);
  await world.store.rows(`update strike set configuration = jsonb_set(configuration, '{monitor}', $1)`, [
    JSON.stringify({ type: 'objstore', queue_name: 'q', credentials }),
  ]);

  const { status, json, text } = await world.get(`/v6/ingests/${stored}/`);

  t.equal(status, 200);
  t.notMatch(text, /hush|KEYID/);
  t.equal(json.workspace.json_config.broker.credentials.access_key_id, '************');
  t.equal(json.strike.configuration.mount, 'abc');
});

t.test('ingests: the list is filtered', async (t) => {
  const world = await platformWorld(t);
  const { strike, stored, deferred } = await twoIngests(world);
  await world.store.rows(`update ingest set last_modified = '2026-01-20T00:00:00Z' where id = $1`, [
    deferred,
  ]);
  await world.store.rows(`update ingest set last_modified = '2026-01-10T00:00:00Z' where id = $1`, [stored]);
  const found = async (query: string) => {
    const { json, status } = await world.get(`/v6/ingests/?${query}`);
    return status === 200 ? json.results.map((one: { id: number }) => one.id) : status;
  };

  t.strictSame(await found(''), [stored, deferred], 'by modification');
  t.strictSame(await found('status=DEFERRED'), [deferred]);
  t.strictSame(await found('status=DEFERRED&status=INGESTED'), [stored, deferred]);
  t.strictSame(await found(`strike_id=${strike.id}&strike_id=99`), [stored, deferred]);
  t.strictSame(await found('strike_id=99'), []);
  t.strictSame(await found('scan_id=1'), []);
  t.strictSame(await found('file_name=aB'), [stored]);
  t.strictSame(await found('file_name=ab'), [], 'in its case');
  t.strictSame(await found('started=2026-01-15T00:00:00Z'), [deferred]);
  t.strictSame(await found('ended=2026-01-15T00:00:00Z'), [stored]);
  for (const status of [...INGEST_STATUSES, 'QUEUED']) t.not(await found(`status=${status}`), 400, status);
  for (const wrong of ['status=DONE', 'strike_id=x', 'order=arrival', 'started=P1D&ended=P2D', 'page=x']) {
    t.equal(await found(wrong), 400, wrong);
  }
  const [first] = (await world.get('/v6/ingests/')).json.results;
  t.notOk('configuration' in first.strike);
  t.notOk('json_config' in first.workspace);
  t.match(first.workspace, { name: 'in', title: 'In', is_active: true, deprecated: null });
});

t.test('ingests: the list is sorted by every key', async (t) => {
  const world = await platformWorld(t);
  await twoIngests(world);
  const keys = [
    ...['id', 'file_name', 'status', 'bytes_transferred', 'transfer_started', 'transfer_ended', 'media_type'],
    ...[
      'file_size',
      'file_path',
      'new_file_path',
      'reason',
      'ingest_started',
      'ingest_ended',
      'data_started',
    ],
    ...['data_ended', 'created', 'last_modified', 'scan__id', 'strike__id', 'strike__name', 'strike__title'],
    ...['workspace__id', 'workspace__name', 'workspace__title', 'new_workspace__id', 'new_workspace__name'],
    ...[
      'new_workspace__title',
      'job__id',
      'source_file__id',
      'source_file__created',
      'source_file__file_name',
    ],
    ...['source_file__file_size', 'source_file__last_modified'],
  ];
  for (const key of keys) {
    const { status, json } = await world.get(`/v6/ingests/?order=${key}`);
    t.equal(json?.results?.length, 2, `${key} ${status}`);
  }
});
