/** Job types and jobs for tests: a shell script as a plain process, or a command in a container. */
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import { until } from '../until.ts';

export interface TypeSketch {
  readonly name: string;
  readonly script: string;
  /** Default `process:default`. */
  readonly image?: string;
  /** Seconds. Default 60. */
  readonly timeout?: number;
  readonly maxTries?: number;
  /** Default true. */
  readonly isPublished?: boolean;
  /** Default 16. */
  readonly memMib?: number;
  readonly inputs?: readonly Readonly<Record<string, unknown>>[];
  /** JSON inputs. */
  readonly json?: readonly Readonly<Record<string, unknown>>[];
  readonly outputs?: readonly Readonly<Record<string, unknown>>[];
  /** JSON outputs. */
  readonly outputsJson?: readonly Readonly<Record<string, unknown>>[];
  readonly errors?: readonly Readonly<Record<string, unknown>>[];
  /** Besides some cpus, mem and disk. */
  readonly resources?: readonly Readonly<Record<string, unknown>>[];
  /** Name of the workspace that products go to. */
  readonly workspace?: string;
  readonly productPath?: 'long' | 'own';
}

/** Creates the type; resolves with its id. */
export async function createJobType(client: InterfaceClient, sketch: TypeSketch): Promise<number> {
  const { workspace, image = 'process:default', maxTries, isPublished = true, productPath } = sketch;
  const { id } = await client.post<{ id: number }>('/v6/job-types/', {
    container_image: image,
    ...(maxTries === undefined ? {} : { max_tries: maxTries }),
    is_published: isPublished,
    manifest: manifestOf(sketch),
    ...(workspace === undefined
      ? {}
      : {
          configuration: {
            output_workspaces: { default: workspace, outputs: {} },
            ...(productPath && { product_path: productPath }),
          },
        }),
  });
  return id;
}

export function manifestOf({
  name,
  script,
  timeout = 60,
  inputs = [],
  json = [],
  outputs = [],
  outputsJson = [],
  errors = [],
  resources = [],
  memMib = 16,
  image,
}: TypeSketch) {
  // An image for tests has a shell for its entry point, which takes the script as one word.
  const command = image === undefined ? `sh -c '${script}'` : `'${script}'`;
  return {
    seedVersion: '1.0.0',
    job: {
      name,
      jobVersion: '1.0.0',
      packageVersion: '1.0.0',
      title: name,
      description: 'A job of a test',
      maintainer: { name: 'Millrace', email: 'tests@example.com' },
      timeout,
      resources: {
        scalar: [
          { name: 'cpus', value: 0.1 },
          { name: 'mem', value: memMib },
          { name: 'disk', value: 1 },
          ...resources,
        ],
      },
      interface: { command, inputs: { files: inputs, json }, outputs: { files: outputs, json: outputsJson } },
      errors,
    },
  };
}

export interface JobDetails {
  readonly id: number;
  readonly status: string;
  readonly num_exes: number;
  readonly started: string;
  readonly ended: string;
  readonly error: { readonly name: string; readonly category: string } | null;
  readonly execution: { readonly task_results: unknown } | null;
}

/** Queues a job without input; resolves with its id. */
export async function queueJob(client: InterfaceClient, typeId: number): Promise<number> {
  const body = { job_type_id: typeId, input: { files: {}, json: {} } };
  return (await client.post<{ id: number }>('/v6/jobs/', body)).id;
}

export function jobOf(client: InterfaceClient, id: number): Promise<JobDetails> {
  return client.get<JobDetails>(`/v6/jobs/${id}/`);
}

/** Resolves with the job once it is in one of the states. */
export function jobIs(
  client: InterfaceClient,
  id: number,
  states: readonly string[],
  withinMs?: number,
): Promise<JobDetails> {
  const condition = async (): Promise<JobDetails | undefined> => {
    const job = await jobOf(client, id);
    return states.includes(job.status) ? job : undefined;
  };
  return until(`job ${id} is ${states.join(' or ')}`, condition, withinMs);
}
