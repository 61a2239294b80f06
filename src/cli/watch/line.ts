/** Checks the command line that a person typed, and names the records that it needs. */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { nameFromTitle } from '../../domain/names.ts';
import type { Problem } from '../../domain/validation.ts';
import { translateGlob } from '../apply/short/glob.ts';
import { UsageError } from '../frame/exit-codes.ts';
import { fileProblem, notUtf8 } from '../frame/file-problem.ts';
import { directoryAt, makeDirectory } from './directories.ts';
import { checkScript, checkSyntax } from './script.ts';

export interface WatchOptions {
  readonly run: string;
  readonly into: string;
  readonly match?: string | undefined;
  readonly name?: string | undefined;
  readonly newOnly?: boolean;
  readonly remove?: boolean;
  /** False with `--no-input`. */
  readonly input: boolean;
  readonly cpus: string;
  readonly mem: string;
  readonly timeout: string;
  /** The path of the shell that runs the script. */
  readonly shell: string;
}

export interface WatchLine {
  readonly directory: string;
  readonly into: string;
  readonly script: string;
  readonly match: string;
  /** Whether files that were there before the line was first typed are left alone. */
  readonly isNewOnly: boolean;
  /** Whether the records of the line are deleted at the end. */
  readonly isRemoving: boolean;
  /** The regular expression of the strike's rule. */
  readonly regex: string;
  readonly resources: { readonly cpus: number; readonly memMiB: number };
  readonly timeoutSeconds: number;
  readonly shell: string;
  /** The name of the strike, the job type and the recipe type. The same line has the same name. */
  readonly name: string;
}

export type CheckedLine =
  | { readonly line: WatchLine; readonly problems?: undefined }
  | { readonly line?: undefined; readonly problems: readonly Problem[] };

const HASH_DIGITS = 8;

/** Changes nothing: the directory for products need not exist yet. */
export async function checkLine(directory: string, options: WatchOptions, cwd: string): Promise<CheckedLine> {
  const problems: Problem[] = [
    ...checkScript(options.run, { hasInput: options.input }),
    ...(await checkSyntax(options.run, options.shell)),
  ];
  const add = (path: string, description: string): void => {
    problems.push({ name: 'INVALID_OPTION', description, path });
  };
  const number = (path: string, text: string, min: number, max: number): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max))
      add(path, `must be a number from ${min} to ${max}`);
    return value;
  };
  const resources = {
    cpus: number('--cpus', options.cpus, 0.01, 1_024),
    memMiB: number('--mem', options.mem, 1, 16_777_216),
  };
  const timeoutSeconds = number('--timeout', options.timeout, 1, 31_536_000);
  const match = options.match ?? '*';
  const glob = translateGlob(match);
  if ('message' in glob) add('--match', `${glob.message} (at character ${glob.offset + 1})`);
  else if (glob.isPath) add('--match', "is a pattern of file names, and they have no '/'");
  if (options.name !== undefined && !/^(?=[^a-z]*[a-z])[a-z0-9-]{1,50}$/.test(options.name)) {
    add('--name', 'must be at most 50 lower-case letters, digits and dashes, with a letter');
  }
  const from = await directoryAt(resolve(cwd, directory));
  if (from === undefined) add('directory', `${resolve(cwd, directory)} is no directory${notUtf8(directory)}`);
  if (problems.length > 0 || from === undefined || 'message' in glob) return { problems };

  const into = await futureDirectory(resolve(cwd, options.into));
  if (typeof into !== 'string') {
    add('--into', into.problem);
    return { problems };
  }
  if (into === from) {
    add('--into', 'is the watched directory: its products would arrive there as new files');
    return { problems };
  }
  const name = options.name ?? nameOf(basename(from), [from, into, match]);
  const { regex } = glob;
  return {
    line: {
      ...{ directory: from, into, script: options.run, match, regex, resources, timeoutSeconds, name },
      shell: options.shell,
      isNewOnly: options.newOnly === true,
      isRemoving: options.remove === true,
    },
  };
}

/** The real path of the directory, which need not exist yet; or why nothing can be stored there. */
async function futureDirectory(path: string): Promise<string | { readonly problem: string }> {
  try {
    const there = await nearestExisting(path);
    const real = await realpath(there);
    const probe = join(real, `.millrace-${randomBytes(6).toString('hex')}`);
    await (await open(probe, 'wx')).close();
    await rm(probe);
    return join(real, relative(there, path));
  } catch (error) {
    return { problem: notStored(path, error) };
  }
}

/** The path, or its nearest existing parent. Throws an error of the file system. */
async function nearestExisting(path: string): Promise<string> {
  try {
    await lstat(path);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestExisting(dirname(path));
  }
}

function notStored(path: string, error: unknown): string {
  return `nothing can be stored in ${path}: ${fileProblem(error)}`;
}

/** Makes the directory for products if it does not exist. Throws a UsageError if it cannot be made. */
export async function makeInto({ into }: WatchLine): Promise<void> {
  try {
    await makeDirectory(into);
  } catch (error) {
    throw new UsageError(`--into: ${notStored(into, error)}`);
  }
}

/**
 * A name that a person recognizes: from the title, and a hash of `parts`, so that the same parts give the same name.
 */
export function nameOf(title: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, HASH_DIGITS);
  return `${nameFromTitle(title, 'files')}-${hash}`;
}
