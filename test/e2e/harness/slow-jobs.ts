/** Jobs that run a while and leave a trace of every time that their command began: what is killed meanwhile shows. */
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { InterfaceClient } from '../../../src/cli/demo/interface-client.ts';
import type { World } from './world.ts';

export interface SlowJob {
  readonly id: number;
  readonly status: string;
  readonly num_exes: number;
  readonly started: string;
  readonly ended: string;
}

export class SlowJobs {
  readonly ids: number[] = [];
  readonly #client: () => InterfaceClient;
  readonly #typeId: number;
  readonly #traces: string;

  private constructor(client: () => InterfaceClient, typeId: number, traces: string) {
    this.#client = client;
    this.#typeId = typeId;
    this.#traces = traces;
  }

  /** Jobs that sleep for so many seconds. */
  static async create(world: World, client: () => InterfaceClient, seconds: number): Promise<SlowJobs> {
    const traces = join(world.folder, 'traces');
    mkdirSync(traces);
    chmodSync(traces, 0o1777);
    const script = `echo $$ >${traces}/$SCALE_JOB_ID.$$; sleep ${seconds}`;
    const { id } = await client().post<{ id: number }>('/v6/job-types/', {
      container_image: 'process:default',
      max_tries: 20,
      manifest: slowManifest(script),
    });
    return new SlowJobs(client, id, traces);
  }

  async queue(): Promise<void> {
    const body = { job_type_id: this.#typeId, input: { files: {}, json: {} } };
    const { id } = await this.#client().post<{ id: number }>('/v6/jobs/', body);
    this.ids.push(id);
  }

  async all(): Promise<SlowJob[]> {
    return Promise.all(this.ids.map((id) => this.#client().get<SlowJob>(`/v6/jobs/${id}/`)));
  }

  /** How often the command of a job began. */
  begun(id: number): number {
    return readdirSync(this.#traces).filter((name) => name.startsWith(`${id}.`)).length;
  }
}

function slowManifest(script: string): Record<string, unknown> {
  return {
    seedVersion: '1.0.0',
    job: {
      name: 'slow',
      jobVersion: '1.0.0',
      packageVersion: '1.0.0',
      title: 'Slow',
      description: 'Sleeps',
      maintainer: { name: 'Millrace', email: 'demo@example.com' },
      timeout: 60,
      resources: {
        scalar: [
          { name: 'cpus', value: 0.1 },
          { name: 'mem', value: 16 },
          { name: 'disk', value: 1 },
        ],
      },
      interface: {
        command: `sh -c '${script}'`,
      },
    },
  };
}
