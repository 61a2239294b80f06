/**
 * Checks the demo's results: every file is counted over HTTP and hashed again on disk. A source must be registered once
 * and unchanged, its checksum product must contain its hash, and its other product must have its content.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type DemoFile, hashFile } from './demo-files.ts';
import { COMPRESSED_ABOVE_BYTES } from './demo-types.ts';
import type { InterfaceClient } from './interface-client.ts';

export interface StoredFile {
  readonly id: number;
  readonly file_name: string;
  readonly file_path: string;
  readonly file_type: 'SOURCE' | 'PRODUCT';
  readonly file_size: number;
  readonly job_output: string | null;
  readonly job: { readonly id: number } | null;
  readonly recipe: { readonly id: number } | null;
}

export interface Verdict {
  readonly problems: readonly string[];
  readonly sources: number;
  readonly products: readonly StoredFile[];
}

/** Checks everything; `problems` is empty if each file arrived where it should, once. */
export async function checkDemo(
  client: InterfaceClient,
  files: readonly DemoFile[],
  archive: string,
): Promise<Verdict> {
  const problems: string[] = [];
  const sources = new Map<string, StoredFile[]>();
  const products = new Map<string, StoredFile[]>();
  const listed: StoredFile[] = [];
  for await (const file of client.all<StoredFile>('/v6/files/')) {
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

async function checkCounts(client: InterfaceClient, files: number, problems: string[]): Promise<void> {
  const expected: readonly (readonly [string, number])[] = [
    ['/v6/ingests/?status=INGESTED', files],
    ['/v6/recipes/?is_completed=true', files],
    ['/v6/jobs/?status=COMPLETED&job_type_name=demo-describe', files],
    ['/v6/jobs/?status=FAILED', 0],
  ];
  for (const [path, count] of expected) {
    const found = await client.count(path);
    if (found !== count) problems.push(`${path} counts ${found}, expected ${count}`);
  }
}
