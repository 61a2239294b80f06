/** Types, strikes and a scan for all work of the torture; created before anything goes wrong. */
import { createDemo } from '../../../../src/cli/demo/demo-types.ts';
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import { createJobType } from '../../harness/work/job-types.ts';
import type { Installation } from '../installation.ts';

const DEMO_TYPES = ['demo-describe', 'demo-compress', 'demo-keep'];
/** Each kill of an agent takes a try of what runs there. */
const TRIES = 100;
/** What nobody was told of is found by then. */
const LIST_EVERY_MS = 5_000;

/**
 * What a job leaves beside its product: a pipe, a link with a product's name to a file of root's, a directory that
 * cannot be written, and directories nested deeper than a path may be long.
 */
const LEFTOVERS = [
  'cd "$OUTPUT_DIR"',
  'mkfifo pipe.txt',
  'ln -s /etc/shadow link.txt',
  'mkdir locked',
  'touch locked/kept',
  'chmod 500 locked',

  'perl -e "mkdir(nested),chdir(nested) for 1..700"',
].join('; ');

const FILE = { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] };
const input = ['$', '{INPUT}'].join('');

export interface WorkTypes {
  readonly queue: string;
  readonly scanId: number;
  readonly recipeTypes: { readonly numbers: number; readonly reverse: number };
}

const node = (name: string, from: object, dependencies: readonly string[] = []) => ({
  dependencies: dependencies.map((one) => ({ name: one })),
  input: from,
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
});

async function createJobTypes(client: InterfaceClient, image: string): Promise<void> {
  const out = (pattern: string) => [{ name: 'OUT', pattern, mediaType: 'text/plain', required: true }];
  const inputs = [{ name: 'INPUT' }];
  await createJobType(client, {
    name: 'reverse',
    script: `set -e; tac "${input}" >"$OUTPUT_DIR/$(basename "${input}").rev"`,
    ...{ inputs, outputs: out('*.rev'), workspace: 'bucket', maxTries: TRIES },
  });
  // Long enough to be caught running.
  await createJobType(client, {
    name: 'shout',
    image,
    script: `sleep 1; tr a-z A-Z <"${input}" >"$OUTPUT_DIR/$(basename "${input}").loud"`,
    ...{ inputs, outputs: out('*.loud'), workspace: 'demo-archive', maxTries: TRIES },
  });
  const n = ['$', '{N}'].join('');
  await createJobType(client, {
    name: 'number',
    script: `set -e; sleep 0.2; printf "member ${n}\\n" >"$OUTPUT_DIR/${n}.txt"; ${LEFTOVERS}`,
    json: [{ name: 'N', type: 'string' }],
    ...{ outputs: out('*.txt'), workspace: 'demo-archive', maxTries: TRIES },
  });
}

export async function createWorkTypes(all: Installation, client: InterfaceClient): Promise<WorkTypes> {
  const { store, world, containers } = all;
  const { credentials, name } = store.bucket;
  const broker = { type: 'objstore', bucket_name: name, endpoint: store.endpoint, credentials };
  const workspace = (title: string, settings: object) =>
    client.post('/v6/workspaces/', { title, configuration: { broker: settings } });
  await workspace('Bucket', broker);
  await workspace('Shelf', { type: 'host', host_path: all.shelf });
  await createDemo(client.typed, world.at);
  for (const demo of DEMO_TYPES) await client.patch(`/v6/job-types/${demo}/1.0.0/`, { max_tries: TRIES });
  await createJobTypes(client, containers.image);

  const recipeType = async (title: string, from: object, nodes: object) =>
    (await client.post<{ id: number }>('/v6/recipe-types/', { title, definition: { input: from, nodes } }))
      .id;
  const fromFile = { INPUT: { type: 'recipe', input: 'FILE' } };
  const reverse = await recipeType('Reverse', FILE, { reverse: node('reverse', fromFile) });
  await recipeType('Shout', FILE, { shout: node('shout', fromFile) });
  const numbers = await recipeType(
    'Numbers',
    { files: [], json: [{ name: 'N', type: 'string', required: true }] },
    {
      number: node('number', { N: { type: 'recipe', input: 'N' } }),
      shout: node('shout', { INPUT: { type: 'dependency', node: 'number', output: 'OUT' } }, ['number']),
    },
  );
  const queue = `torture.${process.pid}`;
  await client.post('/v6/strikes/', {
    title: 'Uploads',
    configuration: {
      workspace: 'bucket',
      monitor: { type: 'objstore', queue_name: queue, list_every_ms: LIST_EVERY_MS },
      files_to_ingest: [{ filename_regex: '^in/.*\\.txt$', match: 'path', data_types: [] }],
      recipe: { name: 'reverse' },
    },
  });
  const { id: scanId } = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Shelf',
    configuration: {
      workspace: 'shelf',
      scanner: { type: 'dir', transfer_suffix: '_tmp' },
      files_to_ingest: [{ filename_regex: '.*\\.txt$', data_types: [] }],
      recipe: { name: 'shout' },
    },
  });
  return { queue, scanId, recipeTypes: { numbers, reverse } };
}
