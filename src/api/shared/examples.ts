/**
 * Bodies that can be sent as they are, in this order, once their directories exist: from two workspaces to a strike
 * that runs three jobs and a condition on each text. The OpenAPI document shows them, because documents inside bodies
 * have no schema there.
 */

const MAINTAINER = { name: 'You', email: 'you@example.com' };
const RESOURCES = {
  scalar: [
    { name: 'cpus', value: 0.5 },
    { name: 'mem', value: 64 },
  ],
};
const TO_PRODUCTS = { output_workspaces: { default: 'products' } };

export const WORKSPACES = [
  { title: 'Arrivals', configuration: { broker: { type: 'host', host_path: '/data/arrivals' } } },
  { title: 'Products', configuration: { broker: { type: 'host', host_path: '/data/products' } } },
  {
    title: 'Uploads',
    configuration: {
      broker: {
        type: 'objstore',
        bucket_name: 'uploads',
        endpoint: 'https://store.example:9000',
        credentials: { access_key_id: 'key', secret_access_key: 'secret' },
      },
    },
  },
] as const;

function jobType(
  name: string,
  title: string,
  does: { readonly command: string; readonly inputs: object; readonly outputs: object },
) {
  const versions = { jobVersion: '1.0.0', packageVersion: '1.0.0' };
  const about = { title, description: title, maintainer: MAINTAINER, timeout: 60 };
  return {
    container_image: 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: { name, ...versions, ...about, interface: does, resources: RESOURCES },
    },
  };
}

export const JOB_TYPES = [
  jobType('count-words', 'Count words', {
    command: `sh -c 'printf "{\\"WORDS\\": %d}" $(wc -w <"$1") >"$2/seed.outputs.json"' job \${TEXT} \${OUTPUT_DIR}`,
    inputs: { files: [{ name: 'TEXT' }] },
    outputs: { json: [{ name: 'WORDS', type: 'integer' }] },
  }),
  {
    ...jobType('compress', 'Compress', {
      command: `sh -c 'gzip -n -c "$1" >"$2/$(basename "$1").gz"' job \${FILE} \${OUTPUT_DIR}`,
      inputs: { files: [{ name: 'FILE' }] },
      outputs: { files: [{ name: 'COMPRESSED', pattern: '*.gz', mediaType: 'application/gzip' }] },
    }),
    configuration: TO_PRODUCTS,
  },
  {
    ...jobType('checksum', 'Checksum', {
      command: `sh -c 'sha256sum <"$1" >"$2/$(basename "$1").sha256"' job \${FILE} \${OUTPUT_DIR}`,
      inputs: { files: [{ name: 'FILE' }] },
      outputs: { files: [{ name: 'CHECKSUM', pattern: '*.sha256', mediaType: 'text/plain' }] },
    }),
    configuration: TO_PRODUCTS,
  },
] as const;

function runs(name: string) {
  return { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' };
}

export const RECIPE_TYPE = {
  title: 'Long texts',
  definition: {
    input: { files: [{ name: 'TEXT' }] },
    nodes: {
      count: {
        dependencies: [],
        input: { TEXT: { type: 'recipe', input: 'TEXT' } },
        node_type: runs('count-words'),
      },
      'is-long': {
        dependencies: [{ name: 'count' }],
        input: { WORDS: { type: 'dependency', node: 'count', output: 'WORDS' } },
        node_type: {
          node_type: 'condition',
          interface: { json: [{ name: 'WORDS', type: 'integer' }] },
          data_filter: { filters: [{ name: 'WORDS', type: 'integer', condition: '<', values: [100] }] },
        },
      },
      compress: {
        dependencies: [{ name: 'is-long', acceptance: true }],
        input: { FILE: { type: 'recipe', input: 'TEXT' } },
        node_type: runs('compress'),
      },
      checksum: {
        dependencies: [{ name: 'compress' }],
        input: { FILE: { type: 'dependency', node: 'compress', output: 'COMPRESSED' } },
        node_type: runs('checksum'),
      },
    },
  },
} as const;

export const STRIKE = {
  title: 'Texts',
  configuration: {
    workspace: 'arrivals',
    monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
    files_to_ingest: [
      {
        filename_regex: '.*\\.txt$',
        data_types: ['text'],
        new_workspace: 'products',
        new_file_path: 'sources',
      },
    ],
    recipe: { name: 'long-texts' },
  },
} as const;

export const SCAN = {
  title: 'Shelf',
  configuration: {
    workspace: 'arrivals',
    scanner: { type: 'dir' },
    recursive: true,
    files_to_ingest: [{ filename_regex: '.*\\.md$' }],
    recipe: { name: 'long-texts' },
  },
} as const;

/** Files by the names of inputs: their ids. */
export const JOB = { job_type_id: 12, input: { files: { TEXT: [7] }, json: {} } } as const;
export const RECIPE = { recipe_type_id: 3, input: { files: { TEXT: [7] }, json: {} } } as const;
export const REPROCESSES = [
  { forced_nodes: { all: true } },
  { forced_nodes: { all: false, nodes: ['compress'] } },
] as const;
