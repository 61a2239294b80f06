/**
 * Work for tests of purges: files arrive, move to the archive, and a recipe of two jobs makes a product of each in the
 * archive and a product of that in a third workspace.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import { filesBelow, listed } from '../quiet.ts';
import { until } from '../until.ts';
import type { World } from '../world.ts';
import { createJobType } from './job-types.ts';

export interface SourceFile {
  readonly id: number;
  readonly file_name: string;
  readonly file_path: string;
}

export interface PurgeShown {
  readonly id: number;
  readonly status: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly removed: Readonly<Record<string, number>>;
  readonly workspaces: readonly { readonly name: string; readonly files_removed: number }[];
  readonly problems: readonly object[];
}

const FILE = { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] };

export class PurgeWork {
  readonly far: string;
  readonly #world: World;

  private constructor(world: World) {
    this.#world = world;
    this.far = join(world.folder, 'far');
  }

  /** `seconds`: how long the second job takes. */
  static async create(world: World, client: InterfaceClient, seconds = 0): Promise<PurgeWork> {
    const work = new PurgeWork(world);
    mkdirSync(work.far);
    const workspace = (title: string, path: string) =>
      client.post<{ name: string }>('/v6/workspaces/', {
        title,
        configuration: { broker: { type: 'host', host_path: path } },
      });
    const arrivals = await workspace('Arrivals', world.at.arrivals);
    const archive = await workspace('Archive', world.at.archive);
    const far = await workspace('Far', work.far);
    const type = (name: string, script: string, workspaceName: string) =>
      createJobType(client, {
        name,
        script,
        workspace: workspaceName,
        maxTries: 20,
        inputs: [{ name: 'INPUT_FILE' }],
        outputs: [{ name: 'OUT', pattern: '*.made', mediaType: 'text/plain' }],
      });
    const input = ['$', '{INPUT_FILE}'].join('');
    const copy = `cp "${input}" "$OUTPUT_DIR/$(basename "${input}").made"`;
    await type('first', `echo begun; ${copy}`, archive.name);
    await type('second', `sleep ${seconds}; ${copy}`, far.name);
    const node = (name: string, dependencies: readonly object[], input: object) => ({
      dependencies,
      input: { INPUT_FILE: input },
      node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
    });
    const recipeType = await client.post<{ name: string }>('/v6/recipe-types/', {
      title: 'Two jobs',
      definition: {
        input: FILE,
        nodes: {
          one: node('first', [], { type: 'recipe', input: 'FILE' }),
          two: node('second', [{ name: 'one' }], { type: 'dependency', node: 'one', output: 'OUT' }),
        },
      },
    });
    await client.post('/v6/strikes/', {
      title: 'Arrivals',
      configuration: {
        workspace: arrivals.name,
        monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
        files_to_ingest: [
          { filename_regex: '.*\\.txt$', data_types: [], new_workspace: archive.name, new_file_path: 'in' },
          { filename_regex: '.*\\.stay$', data_types: [] },
        ],
        recipe: { name: recipeType.name },
      },
    });
    return work;
  }

  drop(name: string, content: string): void {
    const { arrivals } = this.#world.at;
    writeFileSync(join(arrivals, `${name}_tmp`), content);
    renameSync(join(arrivals, `${name}_tmp`), join(arrivals, name));
  }

  async source(client: InterfaceClient, name: string): Promise<SourceFile> {
    return until(`${name} is stored`, () => this.findSource(client, name));
  }

  /** Undefined until it is stored. */
  async findSource(client: InterfaceClient, name: string): Promise<SourceFile | undefined> {
    const [found] = await listed<SourceFile>(client, `/v6/files/?file_type=SOURCE&file_name=${name}`);
    return found;
  }

  async completed(client: InterfaceClient, count: number): Promise<void> {
    await until(
      `${count} recipes are complete`,
      async () => (await client.count('/v6/recipes/?is_completed=true')) >= count,
      120_000,
    );
  }

  /** Paths in all three workspaces, by their directory. */
  onDisk(): string[] {
    const { arrivals, archive } = this.#world.at;
    return [arrivals, archive, this.far].flatMap((directory) => filesBelow(directory));
  }
}

export async function purge(client: InterfaceClient, fileId: number, more: object = {}): Promise<string> {
  const response = await fetch(new URL('/v6/files/purge-source/', client.base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ file_id: fileId, ...more }),
  });
  const location = response.headers.get('location');
  if (response.status !== 204 || location === null)
    throw new Error(`${response.status} ${await response.text()}`);
  return new URL(location, client.base).pathname;
}

export function purgeDone(
  client: () => InterfaceClient,
  location: string,
  withinMs = 30_000,
): Promise<PurgeShown> {
  return until(
    `${location} is done`,
    async () => {
      const shown = await client().get<PurgeShown>(location);
      return shown.status === 'COMPLETED' && shown;
    },
    withinMs,
  );
}
