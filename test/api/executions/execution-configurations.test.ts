/** `execution.configuration`: what the tasks of an execution were given, as far as a database knows. */
import t, { type Test } from 'tap';
import { makeQueue, makeSource, makeStart, savedJob } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import {
  CONFIGURATION,
  makeManifest,
  type ProcessingWorld,
  processingWorld,
} from '../../support/worlds/processing-world.ts';

const MIB = 1_048_576;
const SECRET = 'canary-7f2a';

type Part = Readonly<Record<string, unknown>>;

/** A manifest with parts of its interface replaced. */
function manifestWith(over: Part, job: Part = {}): Part {
  const base = makeManifest().job as { readonly interface: Part };
  return makeManifest({ ...job, interface: { ...base.interface, ...over } });
}

async function typeOf(t: Test, world: ProcessingWorld, body: Part): Promise<number> {
  const { status, json, text } = await world.post('/v6/job-types/', body);
  t.equal(status, 201, text);
  return json.id;
}

/** Queues a job. Answers its id. */
async function queued(t: Test, world: ProcessingWorld, body: Part): Promise<number> {
  const { status, json, text } = await world.post('/v6/jobs/', body);
  t.equal(status, 201, text);
  return json.id;
}

/** Its next execution begins on the node `one`. */
async function begin(world: ProcessingWorld, jobId: number, exeNum = 1): Promise<number> {
  const start = await makeStart(world.store, jobId, { exeNum });
  await world.store.apply({ type: 'startExecutions', starts: [start] });
  return start.executionId;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer
type Shown = any;

/** As both resources tell it. */
async function configurationOf(t: Test, world: ProcessingWorld, jobId: number, exeNum = 1): Promise<Shown> {
  const execution = await world.get(`/v6/jobs/${jobId}/executions/${exeNum}/`);
  t.equal(execution.status, 200, execution.text);
  t.notMatch(execution.text, SECRET);
  const job = await world.get(`/v6/jobs/${jobId}/`);
  t.notMatch(job.text, SECRET);
  if (job.json.num_exes === exeNum)
    t.strictSame(job.json.execution.configuration, execution.json.configuration);
  return execution.json.configuration;
}

const mainOf = ({ tasks }: Shown): Shown => tasks.find(({ type }: Shown) => type === 'main');

t.test('execution configurations: a job in a container has its paths and settings', async (t) => {
  const world = await processingWorld(t);
  const command =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the manifest
    '${INPUT_TEXT/#/--in } ${OUTPUT_DIR} -l $LEVEL "-p ${PASSWORD}" ${LIMIT} ${TOKEN/#/-t } $NONE';
  const settings = [
    { name: 'LEVEL' },
    { name: 'PASSWORD', secret: true },
    { name: 'TOKEN', secret: true },
    { name: 'NONE' },
  ];
  const mounts = [
    { name: 'DATA', path: '/data', mode: 'ro' },
    { name: 'CACHE', path: '/cache', mode: 'rw' },
    { name: 'MISSING', path: '/missing', mode: 'rw' },
  ];
  const scalar = [
    { name: 'cpus', value: 1.5 },
    { name: 'disk', value: 10 },
    { name: 'sharedMem', value: 64.5 },
  ];
  const type = await typeOf(t, world, {
    container_image: 'registry.example.com/counter:1',
    manifest: manifestWith(
      { command, settings, mounts },
      { resources: { scalar }, tags: ['read-only-root'] },
    ),
    configuration: {
      ...CONFIGURATION,
      mounts: {
        ...CONFIGURATION.mounts,
        CACHE: { type: 'volume', driver: 'local', driver_opts: { o: 'bind' } },
      },
      settings: { LEVEL: "it's high", PASSWORD: SECRET },
    },
  });
  const fileId = await world.file({ size: 3 * MIB, fileName: 'in.txt', filePath: 'd/in.txt' });
  const id = await queued(t, world, {
    job_type_id: type,
    input: { files: { INPUT_TEXT: [fileId] }, json: { LIMIT: 5 } },
  });
  t.equal((await world.get(`/v6/jobs/${id}/`)).json.execution, null, 'nothing runs yet');
  await begin(world, id);

  const configuration = await configurationOf(t, world, id);

  const cluster = `millrace_job_${id}x1`;
  const held = { cpus: 1.5, mem: 128, disk: 13, gpus: 0 };
  const agents = { env_vars: {}, mounts: {}, settings: {}, volumes: {}, docker_params: [] };
  const [pull, pre, main, post] = configuration.tasks;
  t.equal(configuration.tasks.length, 4);
  t.equal(configuration.version, '2.0');
  t.strictSame(configuration.output_workspaces, { COUNTS: 'out' });
  t.strictSame(configuration.input_files, {
    INPUT_TEXT: [
      { id: fileId, type: 'SOURCE', workspace_name: 'in', workspace_path: 'd/in.txt', is_deleted: false },
    ],
  });
  t.strictSame(pull, {
    ...{ task_id: `${cluster}_pull`, type: 'pull', resources: held, workspaces: {} },
    ...{ args: 'registry.example.com/counter:1', ...agents },
  });
  t.strictSame(pre, {
    ...{ task_id: `${cluster}_pre`, type: 'pre', resources: held, args: '', ...agents },
    workspaces: { in: { mode: 'ro' } },
  });
  t.strictSame(post, {
    ...{ task_id: `${cluster}_post`, type: 'post', resources: { ...held, disk: 0 }, args: '', ...agents },
    workspaces: { out: { mode: 'rw' } },
  });
  t.strictSame(main, {
    task_id: `${cluster}_main`,
    type: 'main',
    resources: { ...held, disk: 10 },
    args: `--in /millrace/input/INPUT_TEXT/in.txt /millrace/output -l 'it'\\''s high' '-p *****' 5`,
    env_vars: {
      INPUT_TEXT: '/millrace/input/INPUT_TEXT/in.txt',
      LIMIT: '5',
      LEVEL: "it's high",
      PASSWORD: '*****',
      OUTPUT_DIR: '/millrace/output',
      INPUT_METADATA: '/millrace/input-metadata.json',
      ...{ ALLOCATED_CPUS: '1.5', ALLOCATED_MEM: '128.0', ALLOCATED_DISK: '10.0', ALLOCATED_GPUS: '0.0' },
      ALLOCATED_SHAREDMEM: '65.0',
      ...{ MILLRACE_JOB_ID: `${id}`, MILLRACE_EXE_NUM: '1', SCALE_JOB_ID: `${id}`, SCALE_EXE_NUM: '1' },
    },
    workspaces: { in: { mode: 'ro' } },
    mounts: { DATA: `${cluster}_mount_DATA`, CACHE: `${cluster}_mount_CACHE`, MISSING: null },
    settings: { LEVEL: "it's high", PASSWORD: '*****', TOKEN: null, NONE: null },
    volumes: {
      [`${cluster}_mount_DATA`]: {
        ...{ container_path: '/data', mode: 'ro', type: 'host', host_path: '/srv/data' },
      },
      [`${cluster}_mount_CACHE`]: {
        ...{
          container_path: '/cache',
          mode: 'rw',
          type: 'volume',
          driver: 'local',
          driver_opts: { o: 'bind' },
        },
      },
    },
    docker_params: [
      { flag: 'cpus', value: '1.5' },
      { flag: 'memory', value: '128m' },
      { flag: 'shm-size', value: '65m' },
      { flag: 'read-only', value: 'true' },
    ],
  });
});

t.test('execution configurations: a plain process has paths in the folder of its execution', async (t) => {
  const world = await processingWorld(t);
  const files = [{ name: 'INPUT_TEXT', multiple: true }];
  const inputs = { files, json: [] };
  const type = await typeOf(t, world, {
    container_image: 'process:default',
    manifest: manifestWith({ inputs, mounts: [], command: '$INPUT_TEXT $OUTPUT_DIR' }),
    configuration: CONFIGURATION,
  });
  const same = await Promise.all(
    [1, 2].map((n) => world.file({ fileName: 'a.txt', filePath: `${n}/a.txt` })),
  );
  const input = { files: { INPUT_TEXT: same }, json: {} };
  const id = await queued(t, world, { job_type_id: type, input });
  const executionId = await begin(world, id);

  const unreported = await configurationOf(t, world, id);
  t.equal(
    mainOf(unreported).args,
    `${executionId}/input/INPUT_TEXT ${executionId}/output`,
    'its agent never said',
  );
  t.strictSame(
    unreported.tasks.map((task: Shown) => task.type),
    ['pre', 'main', 'post'],
    'there is no image',
  );
  t.strictSame(mainOf(unreported).docker_params, []);
  t.match(unreported.input_files.INPUT_TEXT, [
    { id: same[0], workspace_path: '1/a.txt' },
    { id: same[1], workspace_path: '2/a.txt', local_file_name: `${same[1]}.a.txt` },
  ]);
  t.notOk('local_file_name' in unreported.input_files.INPUT_TEXT[0]);

  const host = { resources: {}, tasks: [], taskFolder: '/var/lib/agent/executions' };
  await world.store.apply({ type: 'saveNode', nodeId: world.store.ids.node, patch: { host }, atMs: NOW });
  const folder = `${host.taskFolder}/${executionId}`;
  const main = mainOf(await configurationOf(t, world, id));
  t.equal(main.args, `${folder}/input/INPUT_TEXT ${folder}/output`);
  t.match(main.env_vars, { OUTPUT_DIR: `${folder}/output`, INPUT_METADATA: `${folder}/input-metadata.json` });
});

t.test(
  'execution configurations: each shows the configuration that its job type had at the time',
  async (t) => {
    const world = await processingWorld(t);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the manifest
    const command = '$LEVEL ${PASSWORD/#/-p }';
    const manifest = manifestWith({ command, inputs: { files: [], json: [] } });
    const configured = (LEVEL: string, secrets: Part = {}) => ({
      configuration: { ...CONFIGURATION, settings: { LEVEL, ...secrets } },
    });
    const body = { container_image: 'counter:1', manifest, ...configured('low') };
    const type = await typeOf(t, world, body);
    const path = '/v6/job-types/counter/1.0.0/';
    const id = await queued(t, world, { job_type_id: type, input: {} });
    const own = await queued(t, world, {
      ...{ job_type_id: type, input: {} },
      configuration: { settings: { LEVEL: 'own' } },
    });
    await begin(world, id);
    await begin(world, own);
    // The clock of this world stands still.
    await world.store.rows(`update job_exe set started = started - interval '1 hour'`);
    const args = async (jobId: number, exeNum = 1): Promise<string> =>
      mainOf(await configurationOf(t, world, jobId, exeNum)).args;
    t.equal(await args(id), 'low');

    t.equal((await world.patch(path, { max_scheduled: 7 })).status, 204);
    t.equal((await world.patch(path, configured('low'))).status, 204);
    const kept = () => world.store.rows('select from job_type_former_configuration');
    t.equal((await kept()).length, 0, 'nothing of it changed');
    t.equal((await world.patch(path, configured('high', { PASSWORD: SECRET }))).status, 204);
    t.equal((await kept()).length, 1);
    t.equal(await args(id), 'low', 'what ran stays as it was');
    t.equal(await args(own), 'own', 'and so does what has a configuration of its own');

    await world.store.apply({ type: 'moveJobs', moves: [makeQueue(id, ['RUNNING'], 1)] });
    await begin(world, id, 2);
    t.equal(await args(id, 2), 'high -p *****');
    t.equal(await args(id, 1), 'low');

    // A later revision makes the setting a secret: of the earlier executions it is one from then on.
    const settings = [
      { name: 'LEVEL', secret: true },
      { name: 'PASSWORD', secret: true },
    ];
    const secretly = manifestWith({ ...(manifest.job as { interface: Part }).interface, settings });
    t.equal((await world.patch(path, { manifest: secretly, ...configured('secret') })).status, 204);
    t.equal(await args(id, 1), '*****');
    t.strictSame(mainOf(await configurationOf(t, world, id, 1)).settings, { LEVEL: '*****', PASSWORD: null });
  },
);

t.test('execution configurations: a system job has one task', async (t) => {
  const world = await processingWorld(t);
  const { store } = world;
  const type = await store.one<{ id: number; rev: number }>(
    `select type.id, rev.id as rev from job_type type join job_type_rev rev on rev.job_type_id = type.id
     where type.name = 'millrace-ingest'`,
  );
  const over = { jobTypeId: type.id, jobTypeRevId: type.rev };
  const { id } = await savedJob(store, over);
  await store.rows(
    `insert into ingest (job_id, file_name, file_path, media_type, status, workspace_id, new_workspace_id, created,
       last_modified)
     values ($1, 'a', 'a', 'text/plain', 'INGESTING', $2, $3, now(), now())`,
    [id, store.ids.in, store.ids.out],
  );
  await begin(world, id);
  const { tasks } = await configurationOf(t, world, id);
  t.strictSame(tasks, [
    {
      ...{ task_id: `millrace_job_${id}x1_main`, type: 'main', resources: { cpus: 1 }, args: '' },
      ...{ env_vars: {}, mounts: {}, settings: {}, volumes: {}, docker_params: [] },
      workspaces: { in: { mode: 'rw' }, out: { mode: 'rw' } },
    },
  ]);
});

t.test('execution configurations: large values and many files are cut', async (t) => {
  const world = await processingWorld(t);
  const inputs = {
    files: [{ name: 'FILES', multiple: true }],
    json: [{ name: 'LONG', type: 'string' }],
  };
  const command = `"${'$LONG '.repeat(5_000)}" end`;
  const type = await typeOf(t, world, {
    container_image: 'counter:1',
    manifest: manifestWith({ inputs, command }),
    configuration: CONFIGURATION,
  });
  const files = await Promise.all(
    Array.from({ length: 1_001 }, () => makeSource(world.store, { size: 1, fileName: 'same.txt' })),
  );
  await world.store.apply({ type: 'createSourceFiles', files });
  const ids = files.map((file) => file.id).reverse();
  const LONG = 'x'.repeat(500_000);
  const id = await queued(t, world, { job_type_id: type, input: { files: { FILES: ids }, json: { LONG } } });
  await begin(world, id);

  const configuration = await configurationOf(t, world, id);

  const { args, env_vars: environment } = mainOf(configuration);
  t.equal(environment.LONG, LONG);
  t.ok(args.length < 100_000, `${args.length}`);
  t.match(args, /x… … … .* end$/);
  t.strictSame(
    configuration.input_files.FILES.map((file: Shown) => file.id),
    ids.slice(0, 1_000),
    'in their order',
  );
  t.equal(environment.FILES, '/millrace/input/FILES');
});
