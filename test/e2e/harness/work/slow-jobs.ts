/** Jobs that run a while and leave a trace of every time that their command began: what is killed meanwhile shows. */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import type { World } from '../world.ts';
import { createJobType, type JobDetails, jobOf, queueJob } from './job-types.ts';

export class SlowJobs {
  readonly ids: number[] = [];
  readonly #client: () => InterfaceClient;
  readonly #typeId: number;
  readonly #traces: string;
  readonly #gate: string;

  private constructor(client: () => InterfaceClient, typeId: number, traces: string, gate: string) {
    this.#client = client;
    this.#typeId = typeId;
    this.#traces = traces;
    this.#gate = gate;
  }

  /** Jobs that sleep for so many seconds, or until they are let go. With a workspace each makes a product there. */
  static async create(
    world: World,
    client: () => InterfaceClient,
    seconds: number | 'held',
    workspace?: string,
  ): Promise<SlowJobs> {
    const traces = join(world.seenByTasks, 'traces');
    mkdirSync(traces);
    chmodSync(traces, 0o1777);
    const gate = join(world.seenByTasks, 'gate');
    const wait = seconds === 'held' ? `until test -e ${gate}; do sleep 0.1; done` : `sleep ${seconds}`;
    const begin = `echo $$ >${traces}/$SCALE_JOB_ID.$$; ${wait}`;
    const sketch = { name: 'slow', maxTries: 20, timeout: 600 };
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
    return new SlowJobs(client, typeId, traces, gate);
  }

  /** Those that are held end now. */
  letGo(): void {
    writeFileSync(this.#gate, '');
  }

  /** Those that begin from now on wait again. */
  hold(): void {
    rmSync(this.#gate);
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
