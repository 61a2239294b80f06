/**
 * A running service with real data, all of it made under `/api/` with the bodies that clients of the public system
 * send: workspaces, job types that run as plain processes, recipe types one inside the other, a scan and a strike that
 * ingest files, jobs in every state, a dataset and a batch.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Program } from '../../e2e/harness/program.ts';
import { until } from '../../e2e/harness/until.ts';
import { createWorld, type World } from '../../e2e/harness/world.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
}

export interface Clients {
  readonly world: World;
  readonly program: Program;
  readonly url: string;
  /** `path` is below `/api/v6/`; of a path that begins with a slash, below the service. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
}

export async function startClients(t: Test, env: Readonly<Record<string, string>> = {}): Promise<Clients> {
  const world = await createWorld(t);
  const program = await world.start('up', 'up', env);
  const call: Clients['call'] = async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof FormData;
    const response = await fetch(new URL(path.startsWith('/') ? path : `/api/v6/${path}`, program.url), {
      method,
      redirect: 'manual',
      headers: { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: isRaw ? (body as string | FormData) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text };
  };
  return { world, program, url: program.url, call, get: (path) => call('GET', path) };
}

/** The same, every call with the headers. */
export function withHeaders(clients: Clients, shown: Record<string, string>): Clients {
  const call: Clients['call'] = (method, path, body, headers = {}) =>
    clients.call(method, path, body, { ...shown, ...headers });
  return { ...clients, call, get: (path) => call('GET', path) };
}

interface Sketch {
  readonly title: string;
  readonly script: string;
  readonly input?: string;
  readonly output?: string;
}

/** As scripts in use write manifests: lower-case categories, no media types, no disk, unknown keys. */
export function manifestOf({ title, script, input = 'INPUT_FILE', output }: Sketch): object {
  const outputs = output === undefined ? {} : { outputs: { files: [outputOf(output)] } };
  return {
    seedVersion: '1.0.0',
    job: {
      name: title.toLowerCase().replaceAll(' ', '-'),
      jobVersion: '1.0.0',
      packageVersion: '1.0.0',
      title,
      description: `${title}, as a script would make it`,
      maintainer: {
        name: 'John Doe',
        organization: 'E-corp',
        email: 'jdoe@example.com',
        url: 'http://www.example.com',
      },
      timeout: 3600,
      interface: {
        command: `sh -c '${script}'`,
        inputs: { files: [{ name: input, required: true, multiple: false }] },
        ...outputs,
      },
      resources: {
        scalar: [
          { name: 'cpus', value: 0.1 },
          { name: 'mem', value: 16, inputMultiplier: 0 },
        ],
      },
      errors: [{ code: 1, name: 'bad-data', title: 'Bad data', description: 'It is bad', category: 'data' }],
    },
  };
}

function outputOf(name: string): object {
  return { name, mediaType: 'text/plain', multiple: false, required: true, pattern: '*.out' };
}

/** The body of `POST job-types/`, as the UI and scripts send it. */
export function jobTypeBody(sketch: Sketch): object {
  return {
    icon_code: 'f186',
    is_published: false,
    max_scheduled: 10,
    docker_image: 'process:default',
    configuration: {
      version: '1.0',
      priority: 150,
      mounts: {},
      settings: {},
      output_workspaces: { default: 'products', outputs: {} },
    },
    manifest: manifestOf(sketch),
  };
}

export const READ_SKETCH: Sketch = {
  title: 'Read Bytes',
  script: 'echo reading $INPUT_FILE; cat "$INPUT_FILE" >"$OUTPUT_DIR/read.out"',
  output: 'READ',
};
export const COUNT_SKETCH: Sketch = {
  title: 'Count Bytes',
  script: 'wc -c <"$INPUT_FILE" >"$OUTPUT_DIR/count.out"',
  output: 'COUNT',
};
/** The last has no output. */
export const FAIL_SKETCH: Sketch = { title: 'Fail Always', script: 'echo failing >&2; exit 1' };

const jobNode = (name: string, input: object, after: readonly object[] = []) => ({
  dependencies: after,
  input: { INPUT_FILE: input },
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
});
const FROM_RECIPE = { type: 'recipe', input: 'INPUT_FILE' };
const INPUT = { files: [{ name: 'INPUT_FILE', media_types: [], required: true, multiple: false }], json: [] };

export const INNER_DEFINITION = {
  version: '7',
  input: INPUT,
  nodes: { 'count-bytes': jobNode('count-bytes', FROM_RECIPE) },
};
/**
 * Two jobs one after the other, and a recipe inside; nodes are named otherwise than recipe types. The acceptance of the
 * first job is as clients send it: for what is no condition it is always false.
 */
export const OUTER_DEFINITION = {
  version: '7',
  input: INPUT,
  nodes: {
    'read-bytes': jobNode('read-bytes', FROM_RECIPE),
    'count-read': jobNode('count-bytes', { type: 'dependency', node: 'read-bytes', output: 'READ' }, [
      { name: 'read-bytes', acceptance: false },
    ]),
    inside: {
      dependencies: [],
      input: { INPUT_FILE: FROM_RECIPE },
      node_type: { node_type: 'recipe', recipe_type_name: 'inner-recipe', recipe_type_revision: 1 },
    },
  },
};

/** Folders with files in them. */
export function makeFolders(world: World): { readonly scanned: string; readonly products: string } {
  const [scanned, products] = [join(world.folder, 'scanned'), join(world.folder, 'products')];
  for (const path of [scanned, products]) {
    mkdirSync(path);
    chmodSync(path, 0o777);
  }
  for (let n = 0; n < 3; n += 1) writeFileSync(join(scanned, `file-${n}.txt`), `content ${n}`);
  return { scanned, products };
}

/** Waits until an answer is as wanted. */
export function untilAnswer(
  clients: Clients,
  path: string,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  return until(`${path} is as wanted`, async () => {
    const answer = await clients.get(path);
    return isWanted(answer) && answer;
  });
}
