/** Reads the files that `-f` names: a file, the files of a directory, or standard input. */
import { closeSync, type Dirent, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileProblem } from '../frame/file-problem.ts';
import { FILE_BYTES_MAX, readYaml } from './read-yaml.ts';
import type { Findings, Located } from './source.ts';

/** limit: files of one call. */
export const FILES_MAX = 1_000;
const NAMES = /\.(?:ya?ml|json)$/i;
const START = { line: 1, column: 1 };

/** A file with its documents. */
export interface LoadedFile {
  /** The name that findings use. */
  readonly file: string;
  /** The folder that the file's relative paths begin at. */
  readonly folder: string;
  readonly documents: readonly Located[];
}

export interface LoadOptions {
  readonly paths: readonly string[];
  readonly isRecursive: boolean;
  /** Paths are relative to it. */
  readonly cwd: string;
  /** Reads standard input, for the path `-`. */
  readonly readInput: () => Uint8Array;
}

/** Files in the order of the paths, those of a directory by name. A file that cannot be read is a finding. */
export function loadFiles(options: LoadOptions, findings: Findings): readonly LoadedFile[] {
  const files: string[] = [];
  for (const path of options.paths) addFiles(path, options, files, findings);
  if (files.length > FILES_MAX) {
    findings.error(files[FILES_MAX] ?? '', START, `there are more than ${FILES_MAX} files`);
    return [];
  }
  return files.flatMap((file) => {
    const source =
      file === '-' ? { bytes: options.readInput(), isPipe: true } : readBounded(file, options, findings);
    if (source === undefined) return [];
    const folder = source.isPipe ? options.cwd : dirname(resolve(options.cwd, file));
    const name = file === '-' ? 'standard input' : file;
    return [{ file: name, folder, documents: readYaml(name, source.bytes, findings) }];
  });
}

function addFiles(path: string, options: LoadOptions, files: string[], findings: Findings): void {
  const entries = path === '-' ? undefined : listed(resolve(options.cwd, path));
  if (entries === undefined) {
    if (!files.includes(path)) files.push(path);
    return;
  }
  const before = files.length;
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || files.length > FILES_MAX) continue;
    const inside = join(path, entry.name);
    if (entry.isDirectory() && options.isRecursive) addFiles(inside, options, files, findings);
    else if (!entry.isDirectory() && NAMES.test(entry.name) && !files.includes(inside)) files.push(inside);
  }
  const isTop = options.paths.includes(path);
  if (isTop && files.length === before) {
    findings.error(path, START, 'the directory has no file whose name ends with .yaml, .yml or .json');
  }
}

/** Undefined: not a directory, or it cannot be listed. */
function listed(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

interface Source {
  readonly bytes: Uint8Array;
  readonly isPipe: boolean;
}

/**
 * The bytes; one more than allowed if the file is too large. A pipe is read only if it was named, as a shell names
 * `<(...)`; a device is not.
 */
function readBounded(file: string, options: LoadOptions, findings: Findings): Source | undefined {
  const path = resolve(options.cwd, file);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const facts = fstatSync(descriptor);
    const isPipe = facts.isFIFO() && options.paths.includes(file);
    if (!facts.isFile() && !isPipe) {
      findings.error(file, START, 'this is not a regular file');
      return undefined;
    }
    const bytes = Buffer.alloc((isPipe ? FILE_BYTES_MAX : Math.min(facts.size, FILE_BYTES_MAX)) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return { bytes: bytes.subarray(0, length), isPipe };
  } catch (error) {
    findings.error(file, START, `the file cannot be read: ${fileProblem(error, path)}`);
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
