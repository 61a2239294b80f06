/** What the public system's UI sends when something is created, edited or processed, and what it reads then. */
import t, { type Test } from 'tap';
import { DIFFERENCES } from '../../../src/api/compat/differences.ts';
import type { Problem } from '../../../src/domain/validation.ts';
import { migratedDatabase } from '../../support/db.ts';
import {
  type Answer,
  jobTypeBody,
  OUTER_DEFINITION,
  READ_SKETCH,
  startClients,
  untilAnswer,
} from './clients-world.ts';
import { made, makeWork, type Work } from './made-work.ts';

const clients = await startClients(t, { DATABASE_URL: await migratedDatabase(t) });
const { call, get } = clients;
const NO_KEYS = { access_key_id: null, secret_access_key: null };
const RULES = [{ filename_regex: '.*', data_types: ['all'] }];
let work: Work;

interface TypeBody {
  readonly manifest: {
    readonly job: { title: string; readonly interface: { readonly outputs: { json: unknown } } };
  };
}

t.test('clients: work is created and completed', async () => {
  work = await makeWork(clients);
});

function accepted(t: Test, answer: Answer, status: number, pattern?: object): void {
  t.equal(answer.status, status, JSON.stringify(answer.json).slice(0, 500));
  if (pattern !== undefined) t.match(answer.json, pattern);
}

t.test('clients: a workspace in a bucket is called s3', async (t) => {
  const broker = { type: 's3', bucket_name: 'my-bucket', host_path: '', region_name: 'us-east-1' };
  const shown = { type: 's3', bucket_name: 'my-bucket', region_name: 'us-east-1' };
  const checked = await call('POST', 'workspaces/validation/', {
    ...{ name: 'Untitled Workspace', title: 'Bucket', description: 'x', base_url: null, is_active: true },
    configuration: { broker: { ...broker, credentials: NO_KEYS } },
  });
  accepted(t, checked, 200, { is_valid: true, errors: [] });
  t.ok(Array.isArray(checked.json.warnings));
  t.notOk(JSON.stringify(checked.json.warnings).includes('Untitled'), 'a new one has no name yet');
  const body = { title: 'Bucket', description: '', base_url: '', is_active: true, configuration: { broker } };
  const { json } = await made(clients, 'workspaces/', body);
  t.strictSame(json.configuration.broker, shown, 'the spelling that was sent comes back');
  const path = `workspaces/${json.id}/`;
  t.strictSame((await get(path)).json.configuration.broker, shown);
  t.equal((await get(`/v6/${path}`)).json.configuration.broker.type, 'objstore');
  accepted(t, await call('PATCH', path, { title: 'Pail', configuration: { broker: shown } }), 204);
  accepted(t, await get(path), 200, { title: 'Pail', configuration: { broker: shown } });
  const documented = { title: 'Documented', configuration: { broker: { ...shown, type: 'objstore' } } };
  const other = await made(clients, 'workspaces/', documented);
  t.equal(other.json.configuration.broker.type, 'objstore', 'so does that of the documents');
  const otherPath = `workspaces/${other.json.id}/`;
  t.equal((await get(otherPath)).json.configuration.broker.type, 'objstore');
  accepted(t, await call('PATCH', otherPath, { configuration: { broker: shown } }), 204);
  t.equal((await get(otherPath)).json.configuration.broker.type, 's3', 'the last one counts');
  accepted(t, await call('PATCH', otherPath, { ...documented, title: 'Again' }), 204);
  t.equal((await get(otherPath)).json.configuration.broker.type, 'objstore');
  accepted(t, await call('PATCH', otherPath, { title: 'Title only' }), 204);
  t.equal((await get(otherPath)).json.configuration.broker.type, 'objstore');
  const elsewhere = await made(clients, '/v6/workspaces/', { ...documented, title: 'Elsewhere' });
  t.equal(elsewhere.json.configuration.broker.type, 'objstore');
  t.equal((await get(`workspaces/${elsewhere.json.id}/`)).json.configuration.broker.type, 's3');
  const named = await made(clients, 'workspaces/', { ...documented, title: 'Named', name: 'A chosen name' });
  t.equal(named.json.name, 'named', 'the name says nothing');
  const wrong = await call('POST', 'workspaces/', { title: 'x', configuration: { broker: { type: 's4' } } });
  accepted(t, wrong, 400, { errors: [{ path: 'configuration.broker.type' }] });
});

t.test('clients: a strike on a bucket has an sqs_name', async (t) => {
  const configuration = {
    workspace: 'bucket',
    monitor: { type: 's3', sqs_name: 'my-queue', region_name: 'us-east-1' },
    files_to_ingest: RULES,
    recipe: { name: 'outer-recipe' },
  };
  const monitor = { ...configuration.monitor, credentials: NO_KEYS };
  const checked = await call('POST', 'strikes/validation/', {
    ...{ name: 'untitled-strike', title: 'Bucket strike', description: null },
    configuration: { ...configuration, monitor },
  });
  accepted(t, checked, 200, { is_valid: true, errors: [] });
  const { json } = await made(clients, 'strikes/', {
    title: 'Bucket strike',
    description: null,
    configuration,
  });
  const shown = { type: 's3', sqs_name: 'my-queue', queue_name: 'my-queue' };
  t.match(json.configuration.monitor, shown);
  t.ok(json.job.job_type);
  const path = `strikes/${json.id}/`;
  const stored = (await get(path)).json.configuration;
  t.match(stored.monitor, shown);
  const edited = { ...stored, monitor: { ...stored.monitor, sqs_name: 'other-queue' } };
  accepted(t, await call('PATCH', path, { configuration: edited }), 204);
  t.match((await get(path)).json.configuration.monitor, {
    sqs_name: 'other-queue',
    queue_name: 'other-queue',
  });
  t.match((await get(`/v6/${path}`)).json.configuration.monitor, {
    type: 'objstore',
    queue_name: 'other-queue',
  });
  t.notOk('sqs_name' in (await get(`/v6/${path}`)).json.configuration.monitor);
});

t.test('clients: a scan is created, processed, edited, processed again and canceled', async (t) => {
  const configuration = {
    workspace: 'scanned',
    scanner: { type: 'dir', transfer_suffix: null },
    recursive: true,
    files_to_ingest: RULES,
    recipe: { name: 'outer-recipe' },
  };
  const body = { title: 'Another', description: null, configuration };
  accepted(t, await call('POST', 'scans/validation/', body), 200, { is_valid: true, errors: [] });
  const scan = (await made(clients, 'scans/', body)).json;
  t.ok(scan.job.job_type, 'a scan that was never processed has a job');
  const path = `scans/${scan.id}/`;
  const processed = await call('POST', `${path}process/`, { ingest: true });
  accepted(t, processed, 201, { job: { status: 'QUEUED' } });
  const isDone = ({ json }: Answer) => json.job.status === 'COMPLETED';
  const { json: done } = await untilAnswer(clients, path, isDone);
  const scanner = { type: 'dir', transfer_suffix: '_part' };
  const edited = { title: 'Edited', description: 'x', configuration: { ...done.configuration, scanner } };
  accepted(t, await call('PATCH', path, edited), 204);
  t.match((await get(path)).json.configuration, { scanner, monitor: scanner });
  const again = await call('POST', `${path}process/`, { ingest: true });
  accepted(t, again, 201, { job: { status: 'QUEUED' } });
  await untilAnswer(clients, path, isDone);
  const dry = await call('POST', `${path}process/`, { ingest: false });
  accepted(t, dry, 201, { dry_run_job: { status: 'QUEUED' } });
  const canceled = await call('POST', `scans/cancel/${scan.id}/`, done);
  t.equal(canceled.status, 202);
  t.ok(Array.isArray(canceled.json.canceled_jobs));
  const bucket = { ...configuration, workspace: 'bucket', scanner: { type: 's3', transfer_suffix: null } };
  const spelled = { ...bucket, scanner: { type: 'objstore' } };
  const documented = await made(clients, 'scans/', { title: 'Documented', configuration: spelled });
  const inDocuments = (await get(`scans/${documented.json.id}/`)).json.configuration;
  t.strictSame([inDocuments.scanner.type, inDocuments.monitor.type], ['objstore', 'objstore']);
  const inBucket = await made(clients, 'scans/', { title: 'In bucket', configuration: bucket });
  t.equal(inBucket.json.configuration.scanner.type, 's3');
  t.equal((await get(`/v6/scans/${inBucket.json.id}/`)).json.configuration.scanner.type, 'objstore');
});

t.test('clients: a log is shown as a page', async (t) => {
  const [job] = (await get('jobs/?status=COMPLETED&job_type_name=read-bytes')).json.results;
  const [execution] = (await get(`jobs/${job.id}/executions/`)).json.results;
  const page = await get(`job-executions/${execution.id}/logs/combined/?format=html`);
  accepted(t, page, 200);
  t.match(page.headers.get('content-type'), /^text\/html/);
  t.match(page.json, /<span class="stdout">reading /);
});

t.test('clients: empty texts count as absent', async (t) => {
  const rule = { ...RULES[0], new_workspace: '', new_file_path: '' };
  const configuration = { workspace: 'scanned', files_to_ingest: [rule], recipe: { name: 'outer-recipe' } };
  for (const [kind, settings] of [
    ['strikes', { monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' } }],
    ['scans', { scanner: { type: 'dir' } }],
  ] as const) {
    const body = { title: `Empty ${kind}`, configuration: { ...configuration, ...settings } };
    accepted(t, await call('POST', `${kind}/validation/`, body), 200, { is_valid: true, errors: [] });
    const refused = await call('POST', `/v6/${kind}/validation/`, body);
    accepted(t, refused, 200, { is_valid: false });
    const { json } = await made(clients, `${kind}/`, body);
    const [kept] = json.configuration.files_to_ingest;
    t.notOk('new_workspace' in kept || 'new_file_path' in kept, JSON.stringify(kept));
    t.equal((await call('PATCH', `${kind}/${json.id}/`, body)).status, 204);
    if (kind === 'strikes')
      t.equal((await call('PATCH', `strikes/${json.id}/`, { is_active: false })).status, 204);
  }
  const body = structuredClone(jobTypeBody({ ...READ_SKETCH, title: 'Untitled' })) as TypeBody;
  const { job } = body.manifest;
  job.title = '';
  job.interface.outputs.json = [{ name: 'WORDS', type: 'integer', key: '' }];
  accepted(t, await call('POST', 'job-types/validation/', body), 200, { is_valid: true });
  const { json } = await made(clients, 'job-types/', body);
  t.match(json, { title: 'untitled', manifest: { job: { title: 'untitled' } } });
  t.match(json.manifest.job.interface.outputs.json, [{ name: 'WORDS', key: 'WORDS' }]);
});

t.test('clients: a job type is checked, edited, paused and deprecated', async (t) => {
  const body = jobTypeBody({ ...READ_SKETCH, title: 'Edited' }) as Record<string, unknown>;
  const { configuration, manifest } = body;
  accepted(t, await call('POST', 'job-types/validation/', { configuration, manifest }), 200, {
    is_valid: true,
  });
  const refused = await call('POST', 'job-types/validation/', { configuration, manifest: { job: {} } });
  accepted(t, refused, 200, { is_valid: false });
  for (const { name } of refused.json.errors) t.notMatch(name, /JSON$/);
  const { json } = await made(clients, 'job-types/', body);
  const path = `job-types/${json.name}/${json.version}/`;
  // As the editor sends it: the whole record, the new image under the name that it knows.
  const { icon_code, is_published, is_active, is_paused, max_scheduled } = json;
  const record = { icon_code, is_published, is_active, is_paused, max_scheduled, manifest: json.manifest };
  const edited = await call('PATCH', path, {
    ...record,
    ...{
      configuration: json.configuration,
      container_image: json.container_image,
      docker_image: 'process:other',
    },
  });
  const named = { name: 'edited', version: '1.0.0' };
  accepted(t, edited, 200, { ...named, docker_image: 'process:other', container_image: 'process:other' });
  t.match(edited.json.manifest.job.maintainer, { name: 'John Doe' });
  accepted(t, await call('PATCH', path, { is_paused: true }), 200, { ...named, is_paused: true });
  accepted(t, await call('PATCH', path, { is_active: false }), 200, { ...named, is_active: false });
  const revisions = (await get(`${path}revisions/`)).json.results;
  t.ok(revisions.some((one: { docker_image: string }) => one.docker_image === 'process:other'));
  accepted(t, await call('PATCH', 'job-types/none/1.0.0/', { is_paused: true }), 404);
});

t.test('clients: a recipe type is validated with the fields of a running graph, and edited', async (t) => {
  const recipe = (await get(`recipes/${work.recipe}/`)).json;
  const { definition } = recipe.recipe_type_rev;
  for (const [name, node] of Object.entries<Record<string, object>>(definition.nodes)) {
    node.node_type = { ...node.node_type, ...recipe.details.nodes[name].node_type };
  }
  const check = (tried: unknown) =>
    call('POST', 'recipe-types/validation/', { name: 'outer-recipe', definition: tried });
  accepted(t, await check(definition), 200, { is_valid: true, diff: { can_be_reprocessed: true } });
  const sent = await check(OUTER_DEFINITION);
  accepted(t, sent, 200, { is_valid: true, errors: [] });
  t.strictSame(sent.json.warnings, [], 'acceptance of what is no condition is taken in silence');
  const documented = await call('POST', '/v6/recipe-types/validation/', { definition: OUTER_DEFINITION });
  t.match(documented.json.warnings, [{ name: 'ACCEPTANCE_WITHOUT_EFFECT' }]);
  const broken = structuredClone(definition);
  broken.nodes['read-bytes'].node_type.job_type_revision = 99;
  const invalid = await check(broken);
  t.equal(invalid.json.is_valid, false);
  t.type(invalid.json.diff.can_be_reprocessed, 'boolean');
  const edit = {
    title: 'Outer recipe',
    description: null,
    definition: { ...OUTER_DEFINITION, nodes: definition.nodes },
  };
  t.equal((await call('PATCH', 'recipe-types/outer-recipe/', edit)).status, 204);
  const other = { title: 'Left', description: null, definition: OUTER_DEFINITION };
  accepted(t, await call('POST', 'recipe-types/', other), 201, { name: 'left', title: 'Left' });
  t.equal((await call('PATCH', 'recipe-types/left/', { is_active: false })).status, 204);
  accepted(t, await get('recipe-types/left/'), 200, { is_active: false });
});

t.test('clients: a recipe is reprocessed inside a sub-recipe named by its type', async (t) => {
  const standing = 'recipes/?recipe_type_name=outer-recipe&is_completed=true&is_superseded=false';
  const listed = await untilAnswer(clients, standing, ({ json }) => json.count > 0);
  const path = `recipes/${listed.json.results[0].id}/`;
  const old = (await get(path)).json;
  const inner = { all: true, nodes: [], sub_recipes: {} };
  const body = { all: false, nodes: ['inside'], sub_recipes: { 'inner-recipe': inner } };
  accepted(t, await call('POST', `${path}reprocess/`, body), 202);
  const { json } = await untilAnswer(clients, path, (one) => one.json.superseded_by_recipe);
  const next = (await get(`recipes/${json.superseded_by_recipe.id}/`)).json;
  const jobOf = (recipe: typeof next) => recipe.details.nodes['read-bytes'].node_type.job_id;
  t.equal(jobOf(next), jobOf(old), 'what is not forced keeps its job');
  const insideOf = async (recipe: typeof next) => {
    const { recipe_id } = recipe.details.nodes.inside.node_type;
    return (await get(`recipes/${recipe_id}/`)).json.details.nodes['count-bytes'].node_type.job_id;
  };
  t.not(await insideOf(next), await insideOf(old), 'what is forced inside has another');
  const unknown = { ...body, sub_recipes: { nobody: inner } };
  const refused = await call('POST', `recipes/${next.id}/reprocess/`, unknown);
  accepted(t, refused, 400, { errors: [{ name: 'UNKNOWN_NODE' }] });
  // Unknown fields are ignored wherever they are: the unknown node is all that is wrong.
  const named = { all: false, nodes: ['nobody'], more: 1 };
  const inside = (name: string) => ({ ...named, sub_recipes: { [name]: { all: false, more: 1 } } });
  for (const forced of [named, inside('inner-recipe'), inside('inside'), inside('nobody')]) {
    for (const odd of [{ forced_nodes: forced }, forced]) {
      const target = `recipes/${next.id}/reprocess/`;
      const problems = (await call('POST', target, { ...odd, more: 1 })).json.errors;
      t.ok(problems.length > 0 && problems.every(({ name }: Problem) => name === 'UNKNOWN_NODE'));
      const documented = (await call('POST', `/v6/${target}`, { ...odd, more: 1 })).json.errors;
      t.ok(documented.some(({ path }: Problem) => path === 'more'));
      t.ok(forced === odd || documented.some(({ path }: Problem) => path === 'forced_nodes.more'));
    }
  }
});

t.test('clients: jobs are canceled and requeued by the fields that pages know', async (t) => {
  const category = (await get(`jobs/${work.failedJob}/`)).json.error.category;
  const range = { started: 'P1D', ended: new Date(Date.now() + 60_000).toISOString() };
  const filters = { ...range, error_categories: [[category]], job_type_names: ['fail-always'] };
  t.equal((await call('POST', 'jobs/requeue/', { ...filters, url: '/jobs/requeue/' })).status, 202);
  await untilAnswer(
    clients,
    `jobs/${work.failedJob}/`,
    ({ json }) => json.num_exes >= 3 && json.status === 'FAILED',
  );
  const all = { ...range, status: 'FAILED', error_categories: [[]], job_type_names: ['fail-always'] };
  t.equal((await call('POST', 'jobs/cancel/', all)).status, 202);
  await untilAnswer(clients, `jobs/${work.failedJob}/`, ({ json }) => json.status === 'CANCELED');
  t.equal((await call('POST', 'jobs/cancel/', { error_categories: [['SOME']] })).status, 400);
  t.equal((await call('POST', 'jobs/cancel/', { job_ids: [] })).status, 400, 'no jobs are not all jobs');
  t.equal((await call('POST', 'jobs/cancel/', { error_categories: [[]] })).status, 400, 'no filter at all');
});

t.test('clients: nodes and the scheduler are paused and resumed', async (t) => {
  const [node] = (await get('nodes/')).json.results;
  const edits: readonly object[] = [
    { is_paused: true, pause_reason: 'a look inside', is_active: true },
    { is_paused: false, is_active: true },
  ];
  for (const edit of edits) t.equal((await call('PATCH', `nodes/${node.id}/`, edit)).status, 204);
  t.equal((await get(`nodes/${node.id}/`)).json.is_paused, false);
  for (const is_paused of [true, false])
    t.equal((await call('PATCH', 'scheduler/', { is_paused })).status, 204);
});

t.test('clients: bodies of odd shapes cause no failure', async (t) => {
  const ODD: readonly unknown[] = [null, 7, 'text', [[]], {}, { '*': { node_type: [] } }];
  const bodies = DIFFERENCES.filter(({ part }) => part === 'body');
  const sent = new Set<string>();
  for (const { calls, at } of bodies) {
    for (const target of calls) {
      const [method = '', path = ''] = target.split(' ');
      const filled = path
        .replace('{name}/{version}', 'none/1')
        .replace('{name}', 'none')
        .replace('{id}', '999999');
      for (const odd of ODD) {
        const body = at.split('.').reduceRight<unknown>((inner, step) => {
          if (step === '') return inner;
          return step.endsWith('[]')
            ? { [step.slice(0, -2)]: [inner] }
            : { [step === '*' ? 'n' : step]: inner };
        }, odd);
        const key = `${method} ${filled} ${JSON.stringify(body)}`;
        if (sent.has(key)) continue;
        sent.add(key);
        const answer = await call(method, `/api${filled}`, body);
        t.ok(answer.status < 500, `${key}: ${answer.status}`);
      }
    }
  }
});
