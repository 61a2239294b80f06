/** For every call with a body: one that is accepted, rich in fields, to be broken at each of its places. */
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import type { World } from '../harness/world.ts';

export interface Sample {
  readonly method: 'POST' | 'PATCH';
  readonly target: string;
  /** Its path in the OpenAPI document. */
  readonly route: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Fields that must be there. */
  readonly required: readonly string[];
  /** Where any JSON value is right. */
  readonly free?: RegExp;
}

/** What the samples speak of; all of it exists. */
export interface Facts {
  readonly arrivals: string;
  readonly archive: string;
  readonly fileId: number;
  /** A source that no other sample needs. */
  readonly purgedId: number;
  readonly jobId: number;
  readonly recipeId: number;
  readonly ingestId: number;
  readonly workspaceId: number;
  readonly strikeId: number;
  readonly scanId: number;
  readonly datasetId: number;
  readonly batchId: number;
  readonly nodeId: number;
  readonly jobTypeId: number;
  readonly recipeTypeId: number;
  readonly recipeType: string;
  readonly accountId: number;
}

export async function factsOf(client: InterfaceClient): Promise<Facts> {
  const first = async (path: string): Promise<{ id: number; name: string }> => {
    const { results } = await client.get<{ results: { id: number; name: string }[] }>(path);
    if (results[0] === undefined) throw new Error(`there is nothing at ${path}`);
    return results[0];
  };
  const [arrivals, archive] = [
    await first('/v6/workspaces/?name=demo-arrivals'),
    await first('/v6/workspaces/?name=demo-archive'),
  ];
  const recipeType = await first('/v6/recipe-types/?keyword=demo');
  return {
    ...{ arrivals: arrivals.name, archive: archive.name, workspaceId: arrivals.id },
    fileId: (await first('/v6/files/?file_type=SOURCE')).id,
    purgedId: (await first('/v6/files/?file_type=SOURCE&order=-last_modified')).id,
    jobId: (await first('/v6/jobs/?job_type_name=demo-describe')).id,
    recipeId: (await first('/v6/recipes/')).id,
    ingestId: (await first('/v6/ingests/')).id,
    strikeId: (await first('/v6/strikes/')).id,
    scanId: (await first('/v6/scans/')).id,
    datasetId: (await first('/v6/datasets/')).id,
    batchId: (await first('/v6/batches/')).id,
    nodeId: (await first('/v6/nodes/')).id,
    accountId: (await first('/v6/accounts/')).id,
    jobTypeId: (await first('/v6/job-types/?keyword=demo-describe')).id,
    ...{ recipeTypeId: recipeType.id, recipeType: recipeType.name },
  };
}

export function samplesOf(facts: Facts, world: World): readonly Sample[] {
  return [
    ...workspaceSamples(facts, world),
    ...strikeSamples(facts),
    ...scanSamples(facts),
    ...jobTypeSamples(facts),
    ...recipeTypeSamples(facts),
    ...workSamples(facts),
    ...batchSamples(facts),
    ...clusterSamples(facts),
    purgeSample(facts),
    ...accountSamples(facts),
  ];
}

function workspaceSamples({ workspaceId }: Facts, world: World): Sample[] {
  const body = {
    title: 'Other',
    description: 'Another one',
    base_url: 'https://files.example/',
    is_active: true,
    configuration: { broker: { type: 'host', host_path: `${world.folder}/other` } },
  };
  const store = {
    title: 'Store',
    configuration: {
      broker: {
        ...{ type: 'objstore', bucket_name: 'a-bucket', host_path: '/mnt/bucket', region_name: 'eu-1' },
        credentials: { access_key_id: 'AKIA', secret_access_key: 'hush' },
        ...{ endpoint: 'https://store.example:9000', path_style: true },
      },
    },
  };
  const required = ['title', 'configuration', 'configuration.broker', 'configuration.broker.type'];
  const route = '/v6/workspaces/';
  return [
    { method: 'POST', target: route, route, body, required: [...required, 'configuration.broker.host_path'] },
    { method: 'POST', target: route, route, body: store, required },
    {
      ...{ method: 'POST', target: `${route}validation/`, route: `${route}validation/` },
      ...{ body: { ...body, name: 'demo-archive' }, required },
    },
    {
      ...{ method: 'PATCH', target: `${route}${workspaceId}/`, route: `${route}{id}/` },
      ...{ body, required: required.slice(2) },
    },
  ];
}

function strikeSamples({ arrivals, archive, recipeType, strikeId }: Facts): Sample[] {
  const rule = {
    ...{ filename_regex: '.*\\.h5$', match: 'name', data_types: ['h5'] },
    ...{ new_workspace: archive, new_file_path: 'h5/raw' },
  };
  const configuration = {
    workspace: arrivals,
    monitor: { type: 'dir-watcher', transfer_suffix: '_part', stable_ms: 500 },
    files_to_ingest: [rule, { filename_regex: '.*txt' }],
    recipe: { name: recipeType, revision_num: 1 },
  };
  const body = { title: 'A strike', description: 'Watches', configuration };
  const inner = [
    ...['workspace', 'monitor', 'monitor.type', 'files_to_ingest', 'files_to_ingest[0].filename_regex'],
    ...['recipe', 'recipe.name'],
  ].map((path) => `configuration.${path}`);
  const required = ['title', 'configuration', ...inner];
  const route = '/v6/strikes/';
  return [
    { method: 'POST', target: route, route, body, required },
    {
      ...{ method: 'POST', target: `${route}validation/`, route: `${route}validation/` },
      ...{ body: { ...body, name: 'demo-arrivals' }, required },
    },
    {
      ...{ method: 'PATCH', target: `${route}${strikeId}/`, route: `${route}{id}/` },
      ...{ body: { ...body, is_paused: false }, required: inner },
    },
  ];
}

function scanSamples({ arrivals, archive, recipeType, scanId }: Facts): Sample[] {
  const rule = {
    ...{ filename_regex: '.*\\.h5$', match: 'path', data_types: ['h5'] },
    ...{ new_workspace: archive, new_file_path: 'h5/raw' },
  };
  const configuration = {
    workspace: arrivals,
    scanner: { type: 'dir', transfer_suffix: '_part' },
    recursive: true,
    files_to_ingest: [rule, { filename_regex: '.*txt' }],
    recipe: { name: recipeType, revision_num: 1 },
  };
  const body = { title: 'A scan', description: 'Examines', configuration };
  const inner = [
    ...['workspace', 'scanner', 'scanner.type', 'files_to_ingest', 'files_to_ingest[0].filename_regex'],
    'recipe.name',
  ].map((path) => `configuration.${path}`);
  const required = ['title', 'configuration', ...inner];
  const route = '/v6/scans/';
  return [
    { method: 'POST', target: route, route, body, required },
    {
      ...{ method: 'POST', target: `${route}validation/`, route: `${route}validation/` },
      ...{ body: { ...body, name: 'a-scan' }, required },
    },
    { method: 'PATCH', target: `${route}${scanId}/`, route: `${route}{id}/`, body, required: inner },
    {
      ...{ method: 'POST', target: `${route}${scanId}/process/`, route: `${route}{id}/process/` },
      ...{ body: { ingest: false }, required: [] },
    },
  ];
}

function manifest(name: string): Record<string, unknown> {
  return {
    seedVersion: '1.0.0',
    job: {
      ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Hostile', description: 'Takes it' },
      ...{ tags: ['one', 'two'], timeout: 60 },
      maintainer: {
        name: 'A',
        email: 'a@example.com',
        organization: 'B',
        phone: '1',
        url: 'https://a.example',
      },
      errors: [
        { code: 3, name: 'empty-file', title: 'Empty', description: 'Nothing in it', category: 'data' },
      ],
      interface: {
        command: 'sh -c true',
        inputs: {
          files: [
            { name: 'FILE', mediaTypes: ['text/plain'], required: true, multiple: false, partial: false },
          ],
          json: [{ name: 'LIMIT', type: 'integer', required: false }],
        },
        outputs: {
          files: [{ name: 'OUT', mediaType: 'text/csv', pattern: '*.csv', required: true, multiple: false }],
          json: [{ name: 'TOTAL', key: 'total', type: 'integer', required: false }],
        },
        mounts: [{ name: 'DATA', path: '/data', mode: 'ro' }],
        settings: [{ name: 'LEVEL', secret: false }],
      },
      resources: { scalar: [{ name: 'cpus', value: 1.5, inputMultiplier: 0.5 }] },
    },
  };
}

function configurationOf(archive: string, output: string): Record<string, unknown> {
  return {
    mounts: {
      DATA: { type: 'host', host_path: '/srv/data' },
      DISK: { type: 'volume', driver: 'local', driver_opts: { size: '1' } },
    },
    output_workspaces: { default: archive, outputs: { [output]: archive } },
    priority: 50,
    settings: { LEVEL: 'high' },
  };
}

function jobTypeSamples({ archive }: Facts): Sample[] {
  const settable = {
    ...{ icon_code: 'f123', is_published: true, max_scheduled: 3, max_tries: 2, auto_update: false },
    configuration: configurationOf(archive, 'OUT'),
  };
  const body = { container_image: 'hostile:1', manifest: manifest('hostile'), ...settable };
  const job = ['name', 'jobVersion', 'packageVersion', 'title', 'description', 'maintainer', 'timeout'];
  const required = [
    ...['manifest', 'manifest.seedVersion', 'manifest.job', 'manifest.job.maintainer.email'],
    ...job.map((name) => `manifest.job.${name}`),
  ];
  const route = '/v6/job-types/';
  const edited = { ...body, manifest: manifest('demo-keep') };
  return [
    { method: 'POST', target: route, route, body, required: ['container_image', ...required] },
    { method: 'POST', target: `${route}validation/`, route: `${route}validation/`, body, required },
    {
      ...{ method: 'PATCH', target: `${route}demo-keep/1.0.0/`, route: `${route}{name}/{version}/` },
      ...{ body: edited, required: required.slice(1) },
    },
  ];
}

function recipeTypeSamples({ recipeType }: Facts): Sample[] {
  const job = { node_type: 'job', job_type_name: 'demo-describe', job_type_version: '1.0.0' };
  const filter = {
    name: 'BYTES',
    type: 'integer',
    condition: '<',
    values: [5],
    all_fields: true,
    all_files: false,
  };
  const definition = {
    input: {
      files: [{ name: 'FILE', required: true, multiple: false, media_types: ['text/plain'] }],
      json: [{ name: 'NUMBER', type: 'integer', required: false }],
    },
    nodes: {
      describe: {
        dependencies: [],
        input: { INPUT_FILE: { type: 'recipe', input: 'FILE' } },
        node_type: { ...job, job_type_revision: 1 },
      },
      large: {
        dependencies: [{ name: 'describe' }],
        input: { BYTES: { type: 'dependency', node: 'describe', output: 'BYTES' } },
        node_type: {
          node_type: 'condition',
          interface: { files: [], json: [{ name: 'BYTES', type: 'integer', required: true }] },
          data_filter: { filters: [filter], all: true },
        },
      },
      inner: {
        dependencies: [{ name: 'large', acceptance: true }],
        input: { FILE: { type: 'recipe', input: 'FILE' } },
        node_type: { node_type: 'recipe', recipe_type_name: recipeType, recipe_type_revision: 1 },
      },
    },
  };
  const inner = ['definition.input', 'definition.nodes', 'definition.nodes.describe.node_type'];
  const route = '/v6/recipe-types/';
  const free = /\.values\[0\]$/;
  return [
    {
      ...{ method: 'POST', target: route, route, free, required: ['title', 'definition', ...inner] },
      body: { title: 'Hostile', description: 'Takes it', definition },
    },
    {
      ...{ method: 'POST', target: `${route}validation/`, route: `${route}validation/`, free },
      ...{ body: { title: 'Hostile', description: 'x', definition }, required: ['definition', ...inner] },
    },
    {
      ...{ method: 'PATCH', target: `${route}${recipeType}/`, route: `${route}{name}/`, free, required: [] },
      body: { title: 'Hostile', description: 'Takes it', auto_update: false },
    },
  ];
}

function workSamples({ archive, fileId, jobTypeId, recipeTypeId }: Facts): Sample[] {
  const configuration = { ...configurationOf(archive, 'CHECKSUM') };
  return [
    {
      ...{ method: 'POST', target: '/v6/jobs/', route: '/v6/jobs/', required: ['job_type_id', 'input'] },
      body: { job_type_id: jobTypeId, input: { files: { INPUT_FILE: [fileId] }, json: {} }, configuration },
    },
    {
      ...{
        method: 'POST',
        target: '/v6/recipes/',
        route: '/v6/recipes/',
        required: ['recipe_type_id', 'input'],
      },
      body: { recipe_type_id: recipeTypeId, input: { files: { FILE: [fileId] }, json: {} }, configuration },
    },
  ];
}

function batchSamples({ recipeId, recipeTypeId, datasetId, batchId }: Facts): Sample[] {
  const route = '/v6/batches/';
  const forced = { all: false, nodes: ['describe'] };
  const edit = { title: 'Sample', description: 'A sample', configuration: { priority: 50 } };
  const definition = { dataset: datasetId, forced_nodes: forced };
  const body = { ...edit, recipe_type_id: recipeTypeId, supersedes: false, definition };
  const required = ['recipe_type_id', 'definition', 'definition.dataset', 'definition.forced_nodes.all'];
  const reprocess = { forced_nodes: forced, revision_num: 1 };
  return [
    { method: 'POST', target: route, route, body, required },
    { method: 'POST', target: `${route}validation/`, route: `${route}validation/`, body, required },
    { method: 'PATCH', target: `${route}${batchId}/`, route: `${route}{id}/`, body: edit, required: [] },
    {
      ...{ method: 'POST', target: `/v6/recipes/${recipeId}/reprocess/`, body: reprocess },
      route: '/v6/recipes/{id}/reprocess/',
      required: ['forced_nodes', 'forced_nodes.all'],
    },
  ];
}

function purgeSample({ purgedId }: Facts): Sample {
  const route = '/v6/files/purge-source/';
  const body = { file_id: purgedId, delete_source_bytes: false };
  return { method: 'POST', target: route, route, required: ['file_id'], body };
}

function accountSamples({ accountId }: Facts): Sample[] {
  const names = { first_name: 'Jane', last_name: 'Doe', email: 'jane@example.org' };
  const can = { is_staff: true, is_active: true };
  const account = `/v6/accounts/${accountId}/`;
  return [
    {
      ...{ method: 'POST', target: '/v6/accounts/', route: '/v6/accounts/', required: ['username'] },
      body: { username: 'sample', password: 'a sample of one', ...names, ...can },
    },
    {
      ...{ method: 'PATCH', target: account, route: '/v6/accounts/{id}/', required: [] },
      body: { ...names, ...can },
    },
    {
      ...{ method: 'POST', target: `${account}password/`, route: '/v6/accounts/{id}/password/' },
      ...{ required: ['password'], body: { password: 'a sample of one' } },
    },
    {
      ...{ method: 'POST', target: '/v6/tokens/', route: '/v6/tokens/', required: ['name'] },
      body: { name: 'sample', scope: 'read', expires: '2999-01-01T00:00:00Z', account_id: accountId },
    },
  ];
}

function clusterSamples({ nodeId }: Facts): Sample[] {
  return [
    {
      ...{ method: 'PATCH', target: `/v6/nodes/${nodeId}/`, route: '/v6/nodes/{id}/', required: [] },
      body: { pause_reason: 'No reason', is_paused: false, is_active: true },
    },
    {
      ...{ method: 'PATCH', target: '/v6/scheduler/', route: '/v6/scheduler/', required: [] },
      // Any other logging level becomes INFO.
      free: /^system_logging_level$/,
      body: { is_paused: false, num_message_handlers: 2, queue_mode: 'FIFO', system_logging_level: 'INFO' },
    },
  ];
}
