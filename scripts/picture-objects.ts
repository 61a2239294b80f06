/**
 * What the demo leaves out, for pictures of pages that would be empty: jobs that failed and one that waits, a dataset,
 * a chain of batches and one that fails, a scan with its dry run, a workspace out of reach. It needs the data of
 * `npm run demo`.
 */
import { setTimeout as sleep } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: records of any list
type Json = any;
type Call = (method: string, path: string, body?: object) => Promise<Json>;

/** Its messages have no path of the machine. */
const UNPACK =
  'set -e; cd "$(dirname "$1")"; name=./$(basename "$1"); echo "unpacking $name"; gzip -dc "$name" >"$2/unpacked.out"';
const FILES = 20;
const LOOK_MS = 500;
const DEADLINE_MS = 120_000;

const caller =
  (address: string): Call =>
  async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await fetch(new URL(path, address), { method, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

function jobType(name: string, title: string, script: string, mebibytes: number): object {
  return {
    container_image: 'process:default',
    configuration: { output_workspaces: { default: 'demo-archive', outputs: {} } },
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title, description: title, timeout: 60 },
        maintainer: { name: 'Millrace', email: 'demo@example.com' },
        resources: {
          scalar: [
            { name: 'cpus', value: 0.25 },
            { name: 'mem', value: mebibytes },
          ],
        },
        interface: {
          command: `sh -c '${script}' ${name} \${INPUT_FILE} \${OUTPUT_DIR}`,
          inputs: { files: [{ name: 'INPUT_FILE' }] },
          outputs: { files: [{ name: 'UNPACKED', pattern: '*.out', required: true }] },
        },
        errors: [{ code: 1, name: 'not-an-archive', title: 'Not an archive', category: 'data' }],
      },
    },
  };
}

async function makeBatches(call: Call, sources: readonly Json[]): Promise<void> {
  const [recipe] = (await call('GET', '/v6/recipe-types/?keyword=Demo')).results;
  const { id: unpack } = await call('POST', '/v6/recipe-types/', {
    title: 'Unpack archives',
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: {
        unpack: {
          dependencies: [],
          input: { INPUT_FILE: { type: 'recipe', input: 'FILE' } },
          node_type: { node_type: 'job', job_type_name: 'demo-unpack', job_type_version: '1.0.0' },
        },
      },
    },
  });
  const { id: dataset } = await call('POST', '/v6/datasets/', {
    title: 'The first files',
    description: 'Files that arrived first, to run recipes again',
    definition: { version: '7', parameters: { files: [{ name: 'FILE' }] } },
    data: sources.map(({ id }) => ({ files: { FILE: [id] } })),
  });
  const batch = async (title: string, recipe_type_id: number, definition: object): Promise<number> => {
    const { id } = await call('POST', '/v6/batches/', { title, recipe_type_id, definition });
    await until(async () => {
      const { is_creation_done, jobs_total, ...one } = await call('GET', `/v6/batches/${id}/`);
      return is_creation_done && jobs_total > 0 && jobs_total === one.jobs_completed + one.jobs_failed;
    });
    return id;
  };
  await batch('Unpack the first files', unpack, { dataset });
  const first = await batch('The first files again', recipe.id, { dataset });
  const forced_nodes = { all: true };
  await batch('After the change', recipe.id, { previous_batch: { root_batch_id: first, forced_nodes } });
}

async function makeScan(call: Call): Promise<void> {
  const { id } = await call('POST', '/v6/scans/', {
    ...{ title: 'Files of the archive', description: 'What is there already' },
    configuration: {
      ...{ workspace: 'demo-archive', scanner: { type: 'dir' }, recursive: true },
      files_to_ingest: [
        { filename_regex: '.*\\.json$', data_types: ['json'] },
        { filename_regex: '.*\\.md$', data_types: ['markdown'] },
      ],
    },
  });
  await call('POST', `/v6/scans/${id}/process/`, { ingest: false });
  await until(async () => (await call('GET', `/v6/scans/${id}/`)).dry_run_job?.status === 'COMPLETED');
}

async function until(isThere: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!(await isThere())) {
    if (performance.now() > endMs)
      throw new Error('the objects of the pictures have not become what they should');
    await sleep(LOOK_MS);
  }
}

/** Makes them, once: with its job type they are there already. */
export async function makeObjects(address: string): Promise<void> {
  const call = caller(address);
  if ((await call('GET', '/v6/job-types/?keyword=demo-unpack')).count > 0) return;
  const { results: sources } = await call('GET', `/v6/files/?file_type=SOURCE&order=id&page_size=${FILES}`);
  await call('POST', '/v6/workspaces/', {
    title: 'Old archive',
    configuration: { broker: { type: 'host', host_path: '/mnt/old-archive' } },
  });
  const unpack = await call('POST', '/v6/job-types/', jobType('demo-unpack', 'Unpack a file', UNPACK, 64));
  const huge = await call(
    'POST',
    '/v6/job-types/',
    jobType('demo-index', 'Index all files', 'true', 4_194_304),
  );
  const input = (file: Json) => ({ files: { INPUT_FILE: [file.id] } });
  await call('POST', '/v6/jobs/', { job_type_id: huge.id, input: input(sources[0]) });
  const { id: failing } = await call('POST', '/v6/jobs/', {
    job_type_id: unpack.id,
    input: input(sources[1]),
  });
  await until(async () => (await call('GET', `/v6/jobs/${failing}/`)).status === 'FAILED');
  await makeBatches(call, sources);
  await makeScan(call);
}
