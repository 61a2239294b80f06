/** Files for pages of the console: a watched directory, a recipe of two jobs for each file in it, and odd contents. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { until } from '../e2e/harness/until.ts';
import type { ConsoleWorld } from './console-world.ts';

export interface FileWorld {
  readonly strikeId: number;
  readonly recipeTypeId: number;
  /** Writes a file into the watched directory, and answers its id when it is recorded. */
  arrive(name: string, content: string | Uint8Array): Promise<number>;
  /** Waits until a source has so many products, and answers their ids. */
  products(fileId: number, count: number): Promise<readonly number[]>;
}

export const RECIPE = 'checked-files';
export const STRIKE = 'arriving-files';

export async function watchFiles(world: ConsoleWorld): Promise<FileWorld> {
  const [arrivals, products] = ['arrivals', 'products'].map((name) => join(world.folder, name));
  for (const [name, path = ''] of [
    ['arrivals', arrivals],
    ['products', products],
  ] as const) {
    mkdirSync(path, { recursive: true });
    const configuration = { broker: { type: 'host', host_path: path } };
    await made(world, '/v6/workspaces/', { title: name, name, configuration });
  }
  await made(world, '/v6/job-types/', jobType('copy', 'cp "$INPUT_FILE" "$OUTPUT_DIR/copy.out"', 'COPY'));
  const script = 'wc -c <"$INPUT_FILE" >"$OUTPUT_DIR/count.txt"';
  await made(world, '/v6/job-types/', jobType('count', script, 'COUNT'));
  const recipeTypeId = await made(world, '/v6/recipe-types/', recipeType());
  const strikeId = await made(world, '/v6/strikes/', {
    ...{ name: STRIKE, title: 'Arriving files' },
    configuration: {
      workspace: 'arrivals',
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [
        { filename_regex: '.*\\.(?:txt|csv|json|png|svg|html|bin|jpg)$', data_types: ['checked'] },
        { filename_regex: 'moved-.*', new_workspace: 'products', new_file_path: 'moved' },
      ],
      recipe: { name: RECIPE },
    },
  });
  const find = async (query: string) => (await world.call('GET', `/v6/files/?${query}`)).json;
  return {
    ...{ strikeId, recipeTypeId },
    async arrive(name, content) {
      const path = join(arrivals ?? '', name);
      writeFileSync(`${path}_tmp`, content);
      renameSync(`${path}_tmp`, path);
      let id = 0;
      await until(`${name} is recorded`, async () => {
        id = (await find(`file_name=${encodeURIComponent(name)}`)).results[0]?.id ?? 0;
        return id > 0;
      });
      return id;
    },
    async products(fileId, count) {
      let ids: number[] = [];
      await until(`file ${fileId} has ${count} products`, async () => {
        const { json } = await world.call('GET', `/v6/files/${fileId}/lineage/?direction=descendants`);
        ids = json.files.map(({ id }: { id: number }) => id).filter((id: number) => id !== fileId);
        return ids.length >= count;
      });
      return ids;
    },
  };
}

async function made(world: ConsoleWorld, path: string, body: unknown): Promise<number> {
  const { status, json } = await world.call('POST', path, body);
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json.id;
}

function jobType(name: string, script: string, output: string): object {
  return {
    container_image: 'process:default',
    configuration: { output_workspaces: { default: 'products' } },
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, description: name },
        ...{ maintainer: { name: 'Ann', email: 'ann@example.com' }, timeout: 60 },
        resources: {
          scalar: [
            { name: 'cpus', value: 0.1 },
            { name: 'mem', value: 16 },
          ],
        },
        interface: {
          command: `sh -c '${script}'`,
          inputs: { files: [{ name: 'INPUT_FILE' }] },
          outputs: { files: [{ name: output, pattern: '*.*', mediaType: 'text/plain' }] },
        },
      },
    },
  };
}

function recipeType(): object {
  const job = (name: string) => ({ node_type: 'job', job_type_name: name, job_type_version: '1.0.0' });
  return {
    ...{ name: RECIPE, title: 'Checked files' },
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: {
        copy: {
          dependencies: [],
          input: { INPUT_FILE: { type: 'recipe', input: 'FILE' } },
          node_type: job('copy'),
        },
        count: {
          dependencies: [{ name: 'copy' }],
          input: { INPUT_FILE: { type: 'dependency', node: 'copy', output: 'COPY' } },
          node_type: job('count'),
        },
      },
    },
  };
}

/** A grey PNG. With `claimed`, its head says another size than its pixels have. */
export function png(size: number, claimed = size): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(claimed, 0);
  head.writeUInt32BE(claimed, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(size * (size + 1), 160);
  for (let row = 0; row < size; row += 1) rows[row * (size + 1)] = 0;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
