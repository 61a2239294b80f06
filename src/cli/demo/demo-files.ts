/** The demo's files: some hundred JSON, Markdown and image files that every installation has. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, opendir, rename, stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

const WANTED = new Set(['.json', '.md', '.png', '.gif', '.jpg', '.jpeg', '.svg', '.ico']);
const BYTES_MAX = 5_000_000;

export interface DemoFile {
  readonly from: string;
  /** Unique among the demo's files. */
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** Up to `count` files of different content below `root`, images first, in a fixed order. */
export async function findDemoFiles(root: string, count: number): Promise<readonly DemoFile[]> {
  const paths: string[] = [];
  await collect(root, paths, count * 20);
  paths.sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const files: DemoFile[] = [];
  const seen = new Set<string>();
  for (const from of paths) {
    if (files.length >= count) break;
    const { size } = await stat(from);
    if (size === 0 || size > BYTES_MAX) continue;
    const sha256 = await hashFile(from);
    const name = relative(root, from)
      .replaceAll(/[^a-zA-Z0-9._-]+/g, '-')
      .slice(-120);
    // Hidden files would be ignored.
    if (name.startsWith('.') || seen.has(sha256) || seen.has(name)) continue;
    seen.add(sha256).add(name);
    files.push({ from, name, size, sha256 });
  }
  return files;
}

function rankOf(path: string): number {
  const extension = extname(path);
  if (extension === '.md') return 1;
  return extension === '.json' ? 2 : 0;
}

async function collect(directory: string, into: string[], pathsMax: number): Promise<void> {
  for await (const entry of await opendir(directory)) {
    if (into.length >= pathsMax) return;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await collect(path, into, pathsMax);
    else if (entry.isFile() && WANTED.has(extname(entry.name))) into.push(path);
  }
}

/** Puts a file into a watched directory in the recommended way: first under a suffixed name, then renamed. */
export async function deliver(file: DemoFile, directory: string): Promise<void> {
  const partial = join(directory, `${file.name}_tmp`);
  await copyFile(file.from, partial);
  await rename(partial, join(directory, basename(file.name)));
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
