/** Jobs that run a while and leave a trace of every time that their command began: what is killed meanwhile shows. */
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import type { World } from '../world.ts';
import { createJobType, type JobDetails, jobOf, queueJob } from './job-types.ts';

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

  /** Jobs that sleep for so many seconds. With a workspace each of them makes a product there. */
  static async create(
    world: World,
    client: () => InterfaceClient,
    seconds: number,
    workspace?: string,
  ): Promise<SlowJobs> {
    const traces = join(world.seenByTasks, 'traces');
    mkdirSync(traces);
    chmodSync(traces, 0o1777);
    const begin = `echo $$ >${traces}/$SCALE_JOB_ID.$$; sleep ${seconds}`;
    const sketch = { name: 'slow', maxTries: 20 };
    const output = { name: 'SLOW', pattern: '*.txt', mediaType: 'text/plain' };
    const typeId = await createJobType(
      client(),
      workspace === undefined
        ? { ...sketch, script: begin }
        : {
            ...sketch,
            script: `${begin}; echo done >"$OUTPUT_DIR/$SCALE_JOB_ID.txt"`,
            outputs: [output],
            workspace,
          },
    );
    return new SlowJobs(client, typeId, traces);
  }

  async queue(): Promise<void> {
    this.ids.push(await queueJob(this.#client(), this.#typeId));
  }

  all(): Promise<JobDetails[]> {
    return Promise.all(this.ids.map((id) => jobOf(this.#client(), id)));
  }

  /** How often the command of a job began. */
  begun(id: number): number {
    return readdirSync(this.#traces).filter((name) => name.startsWith(`${id}.`)).length;
  }
}
