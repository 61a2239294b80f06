/** The demo's work for a test: its types, its strike, and its files, dropped bit by bit while things are killed. */
import { join } from 'node:path';
import { type DemoFile, deliver, findDemoFiles } from '../../../../src/cli/demo/demo-files.ts';
import { createDemo } from '../../../../src/cli/demo/demo-types.ts';
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import { until } from '../until.ts';
import type { World } from '../world.ts';

const DEMO_TYPES = ['demo-describe', 'demo-compress', 'demo-keep'];
const SOURCE = join(import.meta.dirname, '../../../../node_modules');

interface StrikeConfiguration {
  readonly files_to_ingest: readonly { readonly new_file_path?: string }[];
}

export class DemoWork {
  readonly files: readonly DemoFile[];
  readonly strikeId: number;
  readonly #world: World;
  #delivered = 0;

  private constructor(world: World, files: readonly DemoFile[], strikeId: number) {
    this.#world = world;
    this.files = files;
    this.strikeId = strikeId;
  }

  /** `maxTries`: of each job. A kill of everything takes tasks with it, and so tries. */
  static async create(
    world: World,
    client: InterfaceClient,
    count: number,
    maxTries?: number,
  ): Promise<DemoWork> {
    const files = await findDemoFiles(SOURCE, count);
    const { strikeId } = await createDemo(client.typed, world.at);
    if (maxTries !== undefined) {
      for (const name of DEMO_TYPES)
        await client.patch(`/v6/job-types/${name}/1.0.0/`, { max_tries: maxTries });
    }
    return new DemoWork(world, files, strikeId);
  }

  /** Archives files without a folder of the day: one that arrives again goes to the same path on any day. */
  async archiveWithoutDay(client: InterfaceClient): Promise<void> {
    const at = `/v6/strikes/${this.strikeId}/`;
    const { configuration } = await client.get<{ configuration: StrikeConfiguration }>(at);
    const rules = configuration.files_to_ingest.map(({ new_file_path: _, ...rule }) => rule);
    await client.patch(at, { configuration: { ...configuration, files_to_ingest: rules } });
  }

  /** Drops the next `count` files. */
  async deliver(count: number): Promise<void> {
    const next = this.files.slice(this.#delivered, this.#delivered + count);
    this.#delivered += next.length;
    for (const file of next) await deliver(file, this.#world.at.arrivals);
  }

  get delivered(): readonly DemoFile[] {
    return this.files.slice(0, this.#delivered);
  }

  /** Grows whenever an ingest or a job ends. */
  async progress(client: InterfaceClient): Promise<number> {
    const counts = await Promise.all([
      client.count('/v6/ingests/?status=INGESTED'),
      client.count('/v6/files/?file_type=PRODUCT'),
    ]);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Waits until every delivered file has gone all its way. */
  async finished(client: InterfaceClient, withinMs = 120_000): Promise<void> {
    const wanted = this.#delivered;
    await until(
      `${wanted} recipes are complete`,
      async () => (await client.count('/v6/recipes/?is_completed=true')) >= wanted,
      withinMs,
    );
  }
}
