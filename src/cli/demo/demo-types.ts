/**
 * The demo's records: two workspaces, three job types, a recipe type with a condition, and a strike. The job types run
 * as plain processes (`process:default`) with tools that every Linux has.
 */
import type { Client } from '../../client/client.ts';
import type { BodyOf } from '../../client/operations.ts';

const STRIKE_TITLE = 'Demo arrivals';

/** Files above this many bytes are compressed, the others kept as they are. */
export const COMPRESSED_ABOVE_BYTES = 2_048;

/** Writes the checksum of its input as a product, and its size as a JSON output. */
const DESCRIBE = [
  'set -e; name=$(basename "$1"); size=$(wc -c <"$1");',
  'printf "%s  %s\\n" $(sha256sum <"$1" | cut -c1-64) "$name" >"$2/$name.sha256";',
  'printf "{\\"BYTES\\": %d}\\n" "$size" >"$2/seed.outputs.json"',
].join(' ');
const COMPRESS = 'set -e; gzip -n -9 -c "$1" >"$2/$(basename "$1").gz"';
const KEEP = 'set -e; cp "$1" "$2/$(basename "$1").kept"';

type JobTypeBody = BodyOf<'post', '/v6/job-types/'>;
type Definition = BodyOf<'post', '/v6/recipe-types/'>['definition'];

interface JobTypeSketch {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly script: string;
  readonly output: { readonly name: string; readonly pattern: string; readonly mediaType: string };
  readonly json?: readonly { readonly name: string; readonly type: 'integer' }[];
}

const JOB_TYPES: readonly JobTypeSketch[] = [
  {
    name: 'demo-describe',
    title: 'Describe a file',
    description: 'Writes the SHA-256 of a file and tells its size',
    script: DESCRIBE,
    output: { name: 'CHECKSUM', pattern: '*.sha256', mediaType: 'text/plain' },
    json: [{ name: 'BYTES', type: 'integer' }],
  },
  {
    name: 'demo-compress',
    title: 'Compress a file',
    description: 'Compresses a file with gzip',
    script: COMPRESS,
    output: { name: 'COMPRESSED', pattern: '*.gz', mediaType: 'application/gzip' },
  },
  {
    name: 'demo-keep',
    title: 'Keep a small file',
    description: 'Keeps a file that is not worth compressing',
    script: KEEP,
    output: { name: 'KEPT', pattern: '*.kept', mediaType: 'application/octet-stream' },
  },
];

const VERSION = '1.0.0';

function manifestOf(sketch: JobTypeSketch): JobTypeBody['manifest'] {
  return {
    seedVersion: '1.0.0',
    job: {
      name: sketch.name,
      jobVersion: VERSION,
      packageVersion: VERSION,
      title: sketch.title,
      description: sketch.description,
      tags: ['demo'],
      maintainer: { name: 'Millrace', email: 'demo@example.com' },
      timeout: 60,
      resources: {
        scalar: [
          { name: 'cpus', value: 0.25 },
          { name: 'mem', value: 128 },
          { name: 'disk', value: 16, inputMultiplier: 2 },
        ],
      },
      interface: {
        command: `sh -c '${sketch.script}' ${sketch.name} \${INPUT_FILE} \${OUTPUT_DIR}`,
        inputs: { files: [{ name: 'INPUT_FILE' }] },
        outputs: { files: [{ ...sketch.output, required: true }], json: [...(sketch.json ?? [])] },
      },
      errors: [{ code: 1, name: 'tool-failed', title: 'Tool failed', category: 'job' }],
    },
  };
}

const INPUT = { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] };

function jobNode(
  name: string,
  dependencies: Definition['nodes'][string]['dependencies'],
): Definition['nodes'][string] {
  return {
    dependencies,
    input: { INPUT_FILE: { type: 'recipe', input: 'FILE' } },
    node_type: { node_type: 'job', job_type_name: name, job_type_version: VERSION, job_type_revision: 1 },
  };
}

const DEFINITION: Definition = {
  input: INPUT,
  nodes: {
    describe: jobNode('demo-describe', []),
    'is-large': {
      dependencies: [{ name: 'describe' }],
      input: { BYTES: { type: 'dependency', node: 'describe', output: 'BYTES' } },
      node_type: {
        node_type: 'condition',
        interface: { files: [], json: [{ name: 'BYTES', type: 'integer', required: true }] },
        // `<` passes when the first value is less than the incoming data.
        data_filter: {
          filters: [{ name: 'BYTES', type: 'integer', condition: '<', values: [COMPRESSED_ABOVE_BYTES] }],
        },
      },
    },
    compress: jobNode('demo-compress', [{ name: 'is-large', acceptance: true }]),
    keep: jobNode('demo-keep', [{ name: 'is-large', acceptance: false }]),
  },
};

export interface DemoDirectories {
  /** Watched. */
  readonly arrivals: string;
  /** Sources go here, and products. */
  readonly archive: string;
}

export interface DemoIds {
  readonly strikeId: number;
  readonly recipeTypeName: string;
}

/** Creates all of them over HTTP. */
export async function createDemo(client: Client, at: DemoDirectories): Promise<DemoIds> {
  const workspace = (title: string, path: string) =>
    client.post('/v6/workspaces/', {
      body: { title, configuration: { broker: { type: 'host', host_path: path } } },
    });
  const arrivals = await workspace('Demo arrivals', at.arrivals);
  const archive = await workspace('Demo archive', at.archive);
  for (const sketch of JOB_TYPES) {
    await client.post('/v6/job-types/', {
      body: {
        container_image: 'process:default',
        is_published: true,
        manifest: manifestOf(sketch),
        configuration: { output_workspaces: { default: archive.name, outputs: {} } },
      },
    });
  }
  const recipeType = await client.post('/v6/recipe-types/', {
    body: {
      title: 'Demo recipe',
      description: 'Describes each file, then compresses large ones and keeps small ones',
      definition: DEFINITION,
    },
  });
  const strike = await client.post('/v6/strikes/', {
    body: {
      title: STRIKE_TITLE,
      description: 'Files from any machine: JSON, Markdown, images',
      configuration: {
        workspace: arrivals.name,
        monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
        files_to_ingest: [
          {
            filename_regex: '.*\\.json$',
            data_types: ['json'],
            new_workspace: archive.name,
            new_file_path: 'json',
          },
          {
            filename_regex: '.*\\.md$',
            data_types: ['markdown'],
            new_workspace: archive.name,
            new_file_path: 'text',
          },
          {
            filename_regex: '.*\\.(png|gif|jpg|jpeg|svg|ico)$',
            data_types: ['image'],
            new_workspace: archive.name,
            new_file_path: 'images',
          },
        ],
        recipe: { name: recipeType.name },
      },
    },
  });
  return { strikeId: strike.id, recipeTypeName: recipeType.name };
}
