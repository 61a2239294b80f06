/**
 * Profiles: services by name, each with the token that was made for it at login. They are in one file that its owner
 * alone can read.
 */
import { mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { fileProblem } from './file-problem.ts';
import { checkPrivate } from './private-file.ts';
import { notWritten, writeWhole } from './whole-file.ts';

const BYTES_MAX = 1_048_576;

export interface Profile {
  readonly server: string;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
}

export interface Profiles {
  readonly current: string | undefined;
  readonly byName: ReadonlyMap<string, Profile>;
}

type Env = Readonly<Record<string, string | undefined>>;

export function profilesPath(env: Env): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(base, 'millrace', 'profiles.json');
}

/** None where the file does not exist. Throws a UsageError if it is not usable. */
export async function readProfiles(path: string): Promise<Profiles> {
  const text = await readPrivate(path);
  if (text === undefined) return { current: undefined, byName: new Map() };
  try {
    const { current, profiles } = JSON.parse(text) as { current?: unknown; profiles?: unknown };
    const entries = Object.entries(profiles as Record<string, Profile>);
    if (entries.every(([, { server }]) => typeof server === 'string')) {
      return { current: typeof current === 'string' ? current : undefined, byName: new Map(entries) };
    }
  } catch {
    // It is reported below.
  }
  throw new UsageError(`${path} is not a file of profiles: correct it or remove it`);
}

/** A reader finds the old file or the new one. Throws a FailedError if it cannot be written. */
export async function writeProfiles(path: string, { current, byName }: Profiles): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw notWritten(path, error);
  });
  const text = `${JSON.stringify({ current, profiles: Object.fromEntries(byName) }, null, 2)}\n`;
  await writeWhole(path, text, { isReplacing: true, mode: 0o600 });
}

/** A token in a file of its own. */
export async function readTokenFile(path: string): Promise<string> {
  const text = await readPrivate(path);
  if (text === undefined) throw new UsageError(`--token-file ${path}: there is no such file`);
  const token = text.trim();
  if (!isToken(token)) throw new UsageError(`--token-file ${path}: it has no token`);
  return token;
}

/** Whether the text can be a token, which must fit into a header. */
export function isToken(text: string): boolean {
  return /^[!-~]{1,1000}$/.test(text);
}

async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`${path} cannot be read: ${fileProblem(error)}`);
  });
  if (file === undefined) return undefined;
  try {
    await checkPrivate(file, path);
    const { size } = await file.stat();
    if (size > BYTES_MAX) throw new UsageError(`${path} is too large`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
