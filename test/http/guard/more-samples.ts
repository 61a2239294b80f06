/** Samples of the calls whose bodies hold lists or documents, and that others have no samples for. */
import type { Facts, Sample } from '../../e2e/hostile/samples.ts';
import { LONE_TYPE } from '../../support/worlds/guarded-service.ts';

export function moreSamples(facts: Facts): readonly Sample[] {
  return [
    ...datasetSamples(facts),
    ...batchSamples(facts),
    ...requestSamples(facts),
    notificationSample(),
    definitionSample(),
    filterSample(),
    trialSample(facts),
  ];
}

function filterSample(): Sample {
  const route = '/v6/saved-filters/';
  const body = { list: 'jobs', title: 'Failed', search: 'status=FAILED' };
  return { ...{ method: 'POST', target: route, route }, required: Object.keys(body), body };
}

function trialSample({ fileId, archive }: Facts): Sample {
  const manifest = {
    seedVersion: '1.0.0',
    job: {
      ...{ name: 'tried', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Tried', timeout: 60 },
      ...{ description: 'Takes a file', maintainer: { name: 'A', email: 'a@example.com' } },
      interface: {
        command: 'true',
        inputs: { files: [{ name: 'FILE' }], json: [{ name: 'LIMIT', type: 'integer', required: false }] },
      },
    },
  };
  const route = '/v6/job-types/try/';
  const body = {
    ...{ container_image: 'process:default', manifest },
    configuration: { output_workspaces: { default: archive } },
    input: { files: { FILE: [fileId] }, json: { LIMIT: 5 } },
  };
  return { ...{ method: 'POST', target: route, route }, required: Object.keys(body), body };
}

/** A sample of a recipe type that no other contains: an edit of one that others contain checks all of them again. */
function definitionSample(): Sample {
  const definition = {
    input: { files: [{ name: 'FILE' }], json: [] },
    nodes: {
      describe: {
        dependencies: [],
        input: { INPUT_FILE: { type: 'recipe', input: 'FILE' } },
        node_type: { node_type: 'job', job_type_name: 'demo-describe', job_type_version: '1.0.0' },
      },
    },
  };
  return {
    ...{ method: 'PATCH', target: `/v6/recipe-types/${LONE_TYPE}/`, route: '/v6/recipe-types/{name}/' },
    ...{ required: [], body: { definition } },
  };
}

function datasetSamples({ fileId, datasetId }: Facts): Sample[] {
  const parameters = {
    files: [{ name: 'FILE', required: false, multiple: true, media_types: ['text/plain'] }],
    json: [{ name: 'NUMBER', type: 'integer', required: false }],
  };
  const globals = {
    files: [{ name: 'COMMON', required: false }],
    json: [{ name: 'LIMIT', type: 'integer', required: false }],
  };
  const definition = {
    parameters,
    global_parameters: globals,
    global_data: { files: { COMMON: [fileId] }, json: { LIMIT: 1 } },
  };
  const member = { files: { FILE: [fileId] }, json: { NUMBER: 1 } };
  const created = { title: 'A set', description: 'Of files', definition, data: [member] };
  const found = {
    data_template: { files: { FILE: ['FILE_VALUE'] }, json: { NUMBER: 1 } },
    ...{ file_name: ['a.txt'], media_type: ['text/plain'], job_type_id: [1], order: ['id'], dry_run: true },
  };
  const route = '/v6/datasets/';
  const post = { method: 'POST', required: [] } as const;
  return [
    { ...post, target: route, route, body: created },
    { ...post, target: route, route, body: { definition, ...found } },
    { ...post, target: `${route}validation/`, route: `${route}validation/`, body: created },
    { ...post, target: `${route}validation/`, route: `${route}validation/`, body: { definition, ...found } },
    { ...post, target: `${route}${datasetId}/`, route: `${route}{id}/`, body: { data: [member] } },
    { ...post, target: `${route}${datasetId}/`, route: `${route}{id}/`, body: found },
  ];
}

function batchSamples({ recipeId, recipeTypeId, datasetId, batchId }: Facts): Sample[] {
  const forced = { all: false, nodes: ['describe'], sub_recipes: { describe: { all: false, nodes: ['x'] } } };
  const configuration = { priority: 1, inputMap: [{ input: 'FILE', datasetParameter: 'FILE' }] };
  const definition = {
    ...{ dataset: datasetId, forced_nodes: forced },
    previous_batch: { root_batch_id: batchId, forced_nodes: forced },
  };
  const body = { recipe_type_id: recipeTypeId, definition, configuration };
  const route = '/v6/batches/';
  const post = { method: 'POST', required: [] } as const;
  return [
    { ...post, target: `${route}validation/`, route: `${route}validation/`, body },
    {
      ...{ ...post, target: `/v6/recipes/${recipeId}/reprocess/`, route: '/v6/recipes/{id}/reprocess/' },
      body: forced,
    },
  ];
}

function requestSamples({ jobId, jobTypeId, batchId, recipeId }: Facts): Sample[] {
  const body = {
    ...{ started: 'P1D', status: 'FAILED', job_ids: [jobId], job_type_ids: [jobTypeId] },
    job_types: [{ name: 'demo-describe', version: '1.0.0' }],
    ...{ job_type_names: ['demo-describe'], batch_ids: [batchId], recipe_ids: [recipeId] },
    ...{ error_categories: ['DATA'], error_ids: [1], is_superseded: false },
  };
  return ['/v6/jobs/cancel/', '/v6/jobs/requeue/'].map((route) => {
    return { method: 'POST', target: route, route, required: [], body };
  });
}

function notificationSample(): Sample {
  const record = {
    ...{ eventVersion: '2.1', eventSource: 'aws:s3', eventName: 's3:ObjectCreated:Put' },
    eventTime: '2026-01-01T00:00:00.000Z',
    s3: { bucket: { name: 'a-bucket' }, object: { key: 'a/b.txt', size: 1, eTag: 'abc', sequencer: '0A' } },
  };
  return {
    ...{ method: 'POST', target: '/v6/notifications/a-queue/', route: '/v6/notifications/{queue_name}/' },
    ...{ required: [], body: { Records: [record] } },
  };
}
