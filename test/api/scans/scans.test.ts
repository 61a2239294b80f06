import t from 'tap';
import { KernelError } from '../../../src/kernel/mod.ts';
import { makeArrival } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

const RULE = { filename_regex: '.*txt', data_types: ['text'], new_workspace: 'out', new_file_path: 'a/b' };

/** A world with a recipe type that takes one file, and a configuration that is accepted there. */
async function scanWorld(t: Teardown) {
  const world = await platformWorld(t);
  await world.recipeType('takes-file', [{ name: 'F', media_types: [], required: true, multiple: false }]);
  const configuration = {
    workspace: 'in',
    scanner: { type: 'dir', transfer_suffix: '_part' },
    recursive: false,
    files_to_ingest: [RULE],
    recipe: { name: 'takes-file' },
  };
  return { world, configuration };
}

t.test('scans: POST creates the scan with two waiting jobs, and starts nothing', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const made = await world.post('/v6/scans/', { title: 'My Scan Process', description: null, configuration });
  t.equal(made.status, 201, made.text);
  const { id, job, dry_run_job: dry } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/scans/${id}/`);
  t.match(made.json, {
    name: 'my-scan-process',
    title: 'My Scan Process',
    description: '',
    file_count: null,
  });
  t.match(made.json, { counts: null, reason: null });
  t.strictSame(made.json.waiting, []);
  t.strictSame(made.json.configuration, { ...configuration, monitor: configuration.scanner });
  t.match(job, { status: 'PENDING', job_type: { name: 'millrace-scan', is_system: true } });
  t.match(dry, { status: 'PENDING', job_type: { name: 'millrace-scan' } });
  t.not(job.id, dry.id);
  t.strictSame(world.sent, []);
  const rows = await world.store.rows(
    `select e.type, e.description, j.input->'json' as input from event e join job j on j.event_id = e.id order by j.id`,
  );
  t.strictSame(rows, [
    { type: 'SCAN_CREATED', description: { scan_id: id }, input: { SCAN_ID: id, DRY_RUN: false } },
    { type: 'DRY_RUN_SCAN_CREATED', description: { scan_id: id }, input: { SCAN_ID: id, DRY_RUN: true } },
  ]);
  const plain = { workspace: 'in', scanner: { type: 'dir', transfer_suffix: null }, files_to_ingest: [RULE] };
  const again = await world.post('/v6/scans/', { title: 'My Scan Process', configuration: plain });
  t.match(again.json, { name: /^my-scan-process-/, configuration: { recursive: true } });
  const echoed = await world.post('/v6/scans/', { title: 'x', configuration: made.json.configuration });
  t.equal(echoed.status, 201, 'what an answer showed may come back');
});

t.test('scans: a name in the body is used, and validation knows its owner', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const body = { title: 'S', name: 'my-scan', configuration };
  t.match(await world.post('/v6/scans/', body), { status: 201, json: { name: 'my-scan' } });
  t.match(await world.post('/v6/scans/', body), { status: 409, json: { code: 'NAME_TAKEN' } });
  t.match(await world.post('/v6/scans/', { ...body, name: 'My scan' }), {
    status: 400,
    json: { errors: [{ name: 'BAD_FORMAT', path: 'name' }] },
  });
  const check = async (name: string) => (await world.post('/v6/scans/validation/', { ...body, name })).json;
  t.match(await check('my-scan'), { is_valid: true });
  t.match(await check('My scan'), { is_valid: false, errors: [{ name: 'INVALID_NAME', path: 'name' }] });
});

t.test('scans: each broken field is refused at its place', async (t) => {
  const { world, configuration: good } = await scanWorld(t);
  await world.recipeType('takes-two', [
    { name: 'F', required: true },
    { name: 'G', required: true },
  ]);
  await world.store.rows(
    `insert into workspace (uuid, name, title, is_active, configuration, created, last_modified)
     values (gen_random_uuid(), 'shut', 'Shut', false, '{"broker":{"type":"host","host_path":"/s"}}', now(), now())`,
  );
  const broker = { type: 'objstore', bucket_name: 'my-bucket' };
  await world.post('/v6/workspaces/', { title: 'bucket', configuration: { broker } });
  const rule = (fields: object) => ({ ...good, files_to_ingest: [RULE, fields] });
  const at = (field: string) => `configuration.files_to_ingest[1].${field}`;
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'configuration'],
    [[], 'configuration'],
    [{ ...good, workspace: undefined }, 'configuration.workspace'],
    [{ ...good, workspace: 'nobody' }, 'configuration.workspace'],
    [{ ...good, workspace: 'shut' }, 'configuration.workspace'],
    [{ ...good, scanner: undefined }, 'configuration.scanner'],
    [{ ...good, scanner: {} }, 'configuration.scanner.type'],
    [{ ...good, scanner: { type: 's3' } }, 'configuration.scanner.type'],
    [{ ...good, scanner: { type: 'dir', transfer_suffix: '/' } }, 'configuration.scanner.transfer_suffix'],
    [{ ...good, scanner: { type: 'dir', other: 1 } }, 'configuration.scanner.other'],
    [{ ...good, scanner: { type: 'objstore' } }, 'configuration.scanner'],
    [{ ...good, workspace: 'bucket' }, 'configuration.scanner'],
    [{ ...good, monitor: { type: 'objstore' } }, 'configuration.monitor'],
    [{ ...good, recursive: 'deep' }, 'configuration.recursive'],
    [{ ...good, files_to_ingest: undefined }, 'configuration.files_to_ingest'],
    [{ ...good, files_to_ingest: [] }, 'configuration.files_to_ingest'],
    [rule({}), at('filename_regex')],
    [rule({ filename_regex: '(' }), at('filename_regex')],
    [rule({ filename_regex: 'a', new_workspace: 'shut' }), at('new_workspace')],
    [rule({ filename_regex: 'a', new_file_path: '../up' }), at('new_file_path')],
    [rule({ filename_regex: 'a', data_types: 7 }), at('data_types')],
    [{ ...good, recipe: {} }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'nobody' } }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'takes-two' } }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'takes-file', revision_num: 2 } }, 'configuration.recipe.revision_num'],
    [{ ...good, strange: 1 }, 'configuration.strange'],
  ];
  for (const [configuration, path] of cases) {
    const { status, json } = await world.post('/v6/scans/', { title: 'x', configuration });
    t.equal(status, 400, `${path}: ${JSON.stringify(json)}`);
    t.ok(
      json.errors?.some((problem: { path: string }) => problem.path === path),
      `${path}: ${JSON.stringify(json.errors)}`,
    );
  }
  for (const title of [undefined, '', 'x'.repeat(51), 7])
    t.equal((await world.post('/v6/scans/', { title, configuration: good })).status, 400, `title ${title}`);
  t.equal((await world.post('/v6/scans/', { title: 'x', description: 7, configuration: good })).status, 400);
  t.equal((await world.get('/v6/scans/')).json.count, 0, 'nothing was created');
  const both = await world.post('/v6/scans/', {
    configuration: { ...good, workspace: 'a', recipe: { name: 'b' } },
  });
  t.strictSame(both.json.errors.map((problem: { path: string }) => problem.path).sort(), [
    'configuration.recipe.name',
    'configuration.workspace',
    'title',
  ]);
});

t.test(
  'scans: validation lists all problems, warns of unreached workspaces, and creates nothing',
  async (t) => {
    const { world, configuration } = await scanWorld(t);
    const check = async (body: unknown) => (await world.post('/v6/scans/validation/', body)).json;
    const lonely = await check({ title: 'x', name: 'x', description: null, configuration });
    t.match(lonely, { is_valid: true, warnings: [{ name: 'UNREACHABLE_WORKSPACE' }, {}] });
    await world.store.rows('update node set is_online = true');
    await world.store.rows(
      `insert into node_workspace (node_id, workspace_id, is_reachable, checked)
     select ${world.store.ids.node}, id, true, now() from workspace`,
    );
    t.strictSame(await check({ title: 'x', configuration }), { is_valid: true, errors: [], warnings: [] });
    t.match(await check({ title: 'x' }), { is_valid: false, errors: [{ path: 'configuration' }] });
    t.match(await check({ title: 'x', configuration: { ...configuration, scanner: 1 } }), {
      is_valid: false,
    });
    t.equal((await world.get('/v6/scans/')).json.count, 0);
  },
);

t.test('scans: a transfer suffix is accepted for every type of scanner', async (t) => {
  const { world, configuration } = await scanWorld(t);
  await world.store.rows(`update workspace set configuration = $1 where name = 'in'`, [
    JSON.stringify({ broker: { type: 'objstore', bucket_name: 'abc' } }),
  ]);
  const scanner = { type: 'objstore', transfer_suffix: '_part' };
  const body = { title: 'Bucket', configuration: { ...configuration, scanner } };
  t.match((await world.post('/v6/scans/validation/', body)).json, { is_valid: true, errors: [] });
  const made = await world.post('/v6/scans/', body);
  t.equal(made.status, 201, made.text);
  t.strictSame((await world.get(`/v6/scans/${made.json.id}/`)).json.configuration.scanner, scanner);
  const wrong = { ...configuration, scanner: { ...scanner, transfer_suffix: 'a/b' } };
  t.match(await world.post('/v6/scans/', { title: 'x', configuration: wrong }), {
    ...{ status: 400, json: { errors: [{ path: 'configuration.scanner.transfer_suffix' }] } },
  });
});

t.test('scans: waiting runs are shown', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const { json } = await world.post('/v6/scans/', { title: 'S', configuration });
  await world.store.apply({
    ...{ type: 'editScan', scanId: json.id, atMs: NOW },
    patch: { run: 'ingest', waiting: ['dry_run', 'ingest'] },
  });
  t.strictSame((await world.get(`/v6/scans/${json.id}/`)).json.waiting, ['dry_run', 'ingest']);
  await world.store.apply({ type: 'editScan', scanId: json.id, patch: { run: null }, atMs: NOW });
  t.strictSame((await world.get(`/v6/scans/${json.id}/`)).json.waiting, ['dry_run', 'ingest']);
  await world.store.apply({ type: 'editScan', scanId: json.id, patch: { waiting: [] }, atMs: NOW });
  t.strictSame((await world.get(`/v6/scans/${json.id}/`)).json.waiting, []);
});

t.test('scans: the counts of the last run stand beside those of the run before', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const { json } = await world.post('/v6/scans/', { title: 'S', configuration });
  const shown = async () => (await world.get(`/v6/scans/${json.id}/`)).json;
  t.match(await shown(), { counts: null, previous_counts: null });
  const ended = '2026-05-05T10:00:00.000Z';
  const before = { mode: 'dry_run', matched: 2, unmatched: 1 } as const;
  const counts = { mode: 'ingest', matched: 3, unmatched: 0, by_rule: [3] } as const;
  const rules = [{ filename_regex: 'a', data_types: [], match: 'name' as const }];
  const patch = { counts, previousCounts: { ...before, by_rule: [2], ended, rules } };
  await world.store.apply({ type: 'editScan', scanId: json.id, patch, atMs: NOW });
  const found = await shown();
  t.strictSame(found.counts, { ended: null, rules: null, ...counts });
  t.strictSame(
    found.previous_counts,
    { ended, ...before },
    'without its rules, which may have changed since',
  );
  await world.store.apply({ type: 'editScan', scanId: json.id, patch: { title: 'T' }, atMs: NOW });
  t.strictSame((await shown()).previous_counts, found.previous_counts);
});

t.test('scans: process asks the actor for a dry run or an ingest', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const { json } = await world.post('/v6/scans/', { title: 'S', configuration });
  const path = `/v6/scans/${json.id}/process/`;
  const to = { kind: 'scan', key: String(json.id) };
  const asked = () => world.sent.map((one) => one.message.mode);
  for (const body of [undefined, {}, { ingest: false }, { ingest: null }, { ingest: true }]) {
    const done = await world.call('POST', path, body);
    t.match(done, { status: 200, json: { id: json.id, configuration: { monitor: { type: 'dir' } } } });
  }
  t.strictSame(asked(), ['dry_run', 'dry_run', 'dry_run', 'dry_run', 'ingest']);
  t.match(world.sent[0], { to, message: { type: 'process' } });
  t.equal((await world.post(path, { ingest: 'yes' })).status, 400);
  t.equal((await world.post('/v6/scans/99/process/', {})).status, 404);
  t.equal((await world.post('/v6/scans/x/process/', {})).status, 404);
  world.failWith = new KernelError({ code: 'STATE_CONFLICT', message: 'an ingest of the scan is under way' });
  t.match(await world.post(path, {}), { status: 409, json: { code: 'STATE_CONFLICT', detail: /under way/ } });
  world.failWith = undefined;
  await world.store.rows(`update workspace set is_active = false where name = 'out'`);
  const refused = {
    name: 'INVALID_SCAN_CONFIGURATION',
    path: 'configuration.files_to_ingest[0].new_workspace',
  };
  t.match(await world.post(path, {}), { status: 400, json: { errors: [refused] } });
  t.equal(world.sent.length, 6, 'what became invalid is not asked for');
});

t.test('scans: cancel answers with the jobs, ignores the body, and is 404 for an unknown scan', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const { json } = await world.post('/v6/scans/', { title: 'S', configuration });
  const path = `/v6/scans/cancel/${json.id}/`;
  world.onAsk = () => ({ jobIds: [7, 8, json.job.id] });
  t.match(await world.post(path, json), {
    ...{ status: 202, json: { id: json.id, canceled_jobs: [7, 8, json.job.id] } },
  });
  t.match(world.sent.at(-1), { to: { kind: 'scan', key: String(json.id) }, message: { type: 'cancel' } });
  world.onAsk = () => ({ jobIds: [] });
  t.strictSame((await world.call('POST', path)).json, { id: json.id, canceled_jobs: [] });
  t.equal((await world.post('/v6/scans/cancel/99/', {})).status, 404);
});

t.test('scans: PATCH asks the actor for the changed fields', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const { json } = await world.post('/v6/scans/', { title: 'S', configuration });
  const path = `/v6/scans/${json.id}/`;
  const to = { kind: 'scan', key: String(json.id) };
  t.equal((await world.patch(path, { title: 'T', description: 'D' })).status, 204);
  t.strictSame(world.sent, [{ to, message: { type: 'edit', title: 'T', description: 'D' } }]);
  t.match((await world.get(path)).json, { name: 's', title: 'T', description: 'D' });
  const other = { ...configuration, workspace: 'out', recipe: null };
  t.equal((await world.patch(path, { configuration: other })).status, 204);
  t.match(world.sent[1]?.message, { workspaceId: world.store.ids.out, configuration: { workspace: 'out' } });
  const shown = (await world.get(path)).json.configuration;
  t.notOk('recipe' in shown);
  t.equal((await world.patch(path, { configuration: shown })).status, 204);
  t.equal((await world.patch(path, {})).status, 204);
  t.equal(world.sent.length, 2, 'nothing changed: nobody was asked');
  t.equal((await world.patch('/v6/scans/99/', { title: 'x' })).status, 404);
  for (const body of [
    { title: '' },
    { configuration: 7 },
    { configuration: { ...other, workspace: 'nobody' } },
  ])
    t.equal((await world.patch(path, body)).status, 400, JSON.stringify(body));
});

t.test('scans: the list is filtered, ordered and paged, without configurations', async (t) => {
  const { world, configuration } = await scanWorld(t);
  for (const title of ['b', 'A', 'c']) await world.post('/v6/scans/', { title, configuration });
  await world.store.rows(`update scan set counts = '{"matched":5}' where name = 'a'`);
  const titles = async (query: string) => {
    const { json, status } = await world.get(`/v6/scans/?${query}`);
    return status === 200 ? json.results.map((one: { title: string }) => one.title) : status;
  };
  t.strictSame(await titles(''), ['b', 'A', 'c'], 'by modification, then id');
  t.strictSame(await titles('order=title'), ['A', 'b', 'c'], 'whatever the case');
  t.strictSame(await titles('name=a&name=c'), ['A', 'c']);
  t.strictSame(await titles('page=2&page_size=2&order=id'), ['c']);
  t.strictSame(await titles('order=file_count&page_size=1'), ['A']);
  t.strictSame(await titles('started=2026-02-01T00:00:00Z&ended=2026-03-01T00:00:00Z'), []);
  const keys = ['id', 'name', 'description', 'file_count', 'created', 'last_modified'];
  for (const key of [...keys, 'job__id', 'job__status', 'dry_run_job__id', 'dry_run_job__status'])
    t.equal((await titles(`order=-${key}`)).length, 3, key);
  t.equal(await titles('order=configuration'), 400);
  t.equal(await titles('page_size=0'), 400);
  const [, second] = (await world.get('/v6/scans/')).json.results;
  t.notOk('configuration' in second);
  t.match(second, { file_count: 5, job: { job_type_rev: { id: Number } }, dry_run_job: { id: Number } });
  t.equal((await world.get('/v6/scans/77/')).status, 404);
});

t.test('scans: ingests of a scan show it, are found by it, and list their jobs', async (t) => {
  const { world, configuration } = await scanWorld(t);
  const { json } = await world.post('/v6/scans/', { title: 'S', configuration });
  const { store } = world;
  const type = await store.one<{ id: number; rev: number }>(
    `select t.id, r.id as rev from job_type t join job_type_rev r on r.job_type_id = t.id
     where t.name = 'millrace-ingest'`,
  );
  const arrival = await makeArrival(store, { filePath: 'x/a.txt' });
  const template = {
    shard: 1,
    priority: 1,
    maxTries: 3,
    timeoutS: 0,
    jobTypeId: type.id,
    jobTypeRevId: type.rev,
  };
  const owner = { kind: 'scan', key: json.id } as const;
  await store.apply({ type: 'recordArrivals', owner, template, arrivals: [arrival] });
  const { results } = (await world.get(`/v6/ingests/?scan_id=${json.id}&order=scan__name`)).json;
  const scan = { id: json.id, name: 's', title: 'S', description: '', job: { id: json.job.id } };
  t.match(results, [{ strike: null, scan: { ...scan, dry_run_job: { id: json.dry_run_job.id } } }]);
  t.equal((await world.get(`/v6/ingests/?scan_id=${json.id + 1}`)).json.count, 0);
  const details = (await world.get(`/v6/ingests/${arrival.ingestId}/`)).json;
  t.match(details.scan, { ...scan, configuration: { scanner: { type: 'dir' }, monitor: { type: 'dir' } } });
  const event = await store.one('select type, description from event where id = $1', [arrival.eventId]);
  t.strictSame(event, {
    type: 'SCAN_TRANSFER',
    description: { file_name: arrival.fileName, scan_id: json.id },
  });
  const jobs = (await world.get(`/v6/ingests/${arrival.ingestId}/jobs/`)).json;
  t.match(jobs, { count: 1, results: [{ id: arrival.jobId, job_type: { name: 'millrace-ingest' } }] });
  t.equal((await world.get('/v6/ingests/99999/jobs/')).status, 404);
  t.equal((await world.get(`/v6/ingests/${arrival.ingestId}/jobs/?order=nothing`)).status, 400);
  const end = { sourceFileId: null, error: null, bytesTransferred: null, finalPath: null, atMs: NOW };
  const ends = [{ ...end, ingestId: arrival.ingestId, status: 'ERRORED', reason: 'canceled' } as const];
  await store.apply({ type: 'endIngests', ingests: ends });
  const again = await makeArrival(store, { filePath: 'x/a.txt', identity: arrival.identity });
  const [result] = await store.apply({ type: 'recordArrivals', owner, template, arrivals: [again] });
  t.match(
    result,
    { accepted: [{ ingestId: arrival.ingestId, jobId: again.jobId }] },
    'what failed is tried again',
  );
  const [none] = await store.apply({ type: 'recordArrivals', owner, template, arrivals: [again] });
  t.strictSame(none, { accepted: [] }, 'what is on its way is not');
});
