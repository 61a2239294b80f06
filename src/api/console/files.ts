/**
 * The built console on disk: which files its page loads, and their bytes. `npm run build` writes it to dist/console/,
 * also while the service runs. The name of a file has a hash of its content, so a file never changes under its name.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';

export interface ConsoleManifest {
  readonly script: string;
  readonly style: string;
  /** The script of the worker that all tabs share. */
  readonly live: string;
  /** The script of the worker that lays graphs out. */
  readonly layout: string;
  /** Scripts that the main one imports, to be fetched along with it. */
  readonly parts: readonly string[];
}

export type FileCoding = 'br' | 'gzip' | 'identity';

export interface ConsoleFiles {
  /** Undefined: the console is not built. */
  manifest(): Promise<ConsoleManifest | undefined>;
  /** Undefined: there is no such file. */
  read(name: string, coding: FileCoding): Promise<Uint8Array | undefined>;
}

const MANIFEST = 'manifest.json';
/** No separators: the name of a file directly in the folder. */
const NAME = /^[a-z]+-[A-Z0-9]{8}\.(?:js|css)$/;
const SUFFIX: Readonly<Record<FileCoding, string>> = { br: '.br', gzip: '.gz', identity: '' };
const CACHE_BYTES = 16 * 1_048_576;

/** The folder of the program, as seen from a built file in `dist` and from this file in `src`. */
const ROOTS = [join(import.meta.dirname, '..'), join(import.meta.dirname, '../../..')];

function consoleFolder(): string {
  const root = ROOTS.find((path) => existsSync(join(path, 'docs/interface.md'))) ?? '.';
  return join(root, 'dist/console');
}

export function createConsoleFiles(folder = consoleFolder()): ConsoleFiles {
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (bytes) => Math.max(1, bytes.byteLength),
  });
  let known: { readonly mtimeMs: number; readonly manifest: ConsoleManifest } | undefined;
  return {
    async manifest() {
      const path = join(folder, MANIFEST);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) return undefined;
      if (known?.mtimeMs !== found.mtimeMs) {
        const text = await readFile(path, 'utf8').catch(() => undefined);
        if (text === undefined) return undefined;
        known = { mtimeMs: found.mtimeMs, manifest: JSON.parse(text) as ConsoleManifest };
      }
      return known.manifest;
    },
    async read(name, coding) {
      if (!NAME.test(name)) return undefined;
      const path = join(folder, `${name}${SUFFIX[coding]}`);
      const cached = cache.get(path);
      if (cached !== undefined) return cached;
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes !== undefined) cache.set(path, bytes);
      return bytes;
    },
  };
}
