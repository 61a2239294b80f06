/**
 * Checks the demo's results: every file is counted over HTTP, and hashed again on disk. A source must be registered
 * once and unchanged, its checksum product must contain its hash, and its other product must have its content.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from '../../client/client.ts';
import type { RecordOf } from '../../client/operations.ts';
import { type DemoFile, hashFile } from './demo-files.ts';
import { COMPRESSED_ABOVE_BYTES } from './demo-types.ts';

export type StoredFile = RecordOf<'/v6/files/'>;

export interface Verdict {
  readonly problems: readonly string[];
  readonly sources: number;
  readonly products: readonly StoredFile[];
}

/** Checks everything; `problems` is empty if each file arrived where it should, once. */
export async function checkDemo(
  client: Client,
  files: readonly DemoFile[],
  archive: string,
): Promise<Verdict> {
  const problems: string[] = [];
  const sources = new Map<string, StoredFile[]>();
  const products = new Map<string, StoredFile[]>();
  const listed: StoredFile[] = [];
  for await (const file of client.list('/v6/files/')) {
    const into = file.file_type === 'SOURCE' ? sources : products;
    into.set(file.file_name, [...(into.get(file.file_name) ?? []), file]);
    if (file.file_type === 'PRODUCT') listed.push(file);
  }
  for (const file of files) {
    const source = only(sources, file.name, problems);
    if (source !== undefined && (await hashFile(join(archive, source.file_path))) !== file.sha256) {
      problems.push(`${file.name}: the stored source is not what was delivered`);
    }
    await checkProducts(file, products, archive, problems);
  }
  if (listed.length !== 2 * files.length) {
    problems.push(`${listed.length} products are listed, ${2 * files.length} were to be made`);
  }
  await checkCounts(client, files.length, problems);
  return { problems, sources: sources.size, products: listed };
}

function only(
  among: ReadonlyMap<string, readonly StoredFile[]>,
  name: string,
  problems: string[],
): StoredFile | undefined {
  const found = among.get(name) ?? [];
  if (found.length !== 1) problems.push(`${name}: stored ${found.length} times`);
  return found[0];
}

async function checkProducts(
  file: DemoFile,
  products: ReadonlyMap<string, readonly StoredFile[]>,
  archive: string,
  problems: string[],
): Promise<void> {
  const checksum = only(products, `${file.name}.sha256`, problems);
  if (checksum !== undefined) {
    const text = await readFile(join(archive, checksum.file_path), 'utf8');
    if (!text.startsWith(file.sha256)) problems.push(`${checksum.file_name}: another checksum`);
  }
  const isLarge = file.size > COMPRESSED_ABOVE_BYTES;
  const content = only(products, `${file.name}.${isLarge ? 'gz' : 'kept'}`, problems);
  if (content === undefined) return;
  const path = join(archive, content.file_path);
  const hash = isLarge ? await hashUnzipped(path) : await hashFile(path);
  if (hash !== file.sha256) problems.push(`${content.file_name}: other content`);
}

async function hashUnzipped(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), createGunzip(), hash);
  return hash.digest('hex');
}

async function checkCounts(client: Client, files: number, problems: string[]): Promise<void> {
  const expected = [
    ['ingested', await client.count('/v6/ingests/', { query: { status: ['INGESTED'] } }), files],
    ['complete recipes', await client.count('/v6/recipes/', { query: { is_completed: true } }), files],
    [
      'completed jobs of demo-describe',
      await client.count('/v6/jobs/', { query: { status: ['COMPLETED'], job_type_name: ['demo-describe'] } }),
      files,
    ],
    ['failed jobs', await client.count('/v6/jobs/', { query: { status: ['FAILED'] } }), 0],
  ] as const;
  for (const [what, found, count] of expected) {
    if (found !== count) problems.push(`${found} ${what} are listed, expected ${count}`);
  }
}
