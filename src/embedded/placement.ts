/**
 * Chooses the embedded server's user and folders. PostgreSQL refuses to run as root, so a root caller runs it as an
 * unprivileged user. If that user can't reach a folder (a home of mode 0700), /var/lib/millrace is used instead, and a
 * pointer file in the data folder contains the path. Touches only folders; starts only `id` and `useradd`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, cp, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { binariesIn, type PostgresBinaries } from './binaries.ts';

const run = promisify(execFile);

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface Placement {
  /** The folder with the cluster, its socket and its log; owned by `user`. */
  readonly home: string;
  readonly cluster: string;
  readonly socketDir: string;
  readonly logDir: string;
  readonly binaries: PostgresBinaries;
  /** Absent when the caller is not root: the server then runs as the caller. */
  readonly user?: SystemUser;
}

export interface PlacementOptions {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  /** Where a root caller puts folders that the unprivileged user could not reach. */
  readonly fallbackRoot: string;
  readonly log: Logger;
}

const POINTER = 'postgres.location';
/** sun_path has 108 bytes with its final NUL; PostgreSQL appends `/.s.PGSQL.5432` and `.lock`. */
const SOCKET_DIR_BYTES_MAX = 107 - '/.s.PGSQL.5432.lock'.length;

export async function place(options: PlacementOptions): Promise<Placement> {
  const dataDir = await realpath(options.dataDir);
  const user = process.getuid?.() === 0 ? await unprivilegedUser(join(dataDir, 'postgres')) : undefined;
  const home = await chooseHome(dataDir, user, options);
  await ownFolder(home, user);
  const logDir = join(home, 'log');
  await ownFolder(logDir, user);
  const socketDir = await chooseSocketDir(home, user);
  const binaries = await reachableBinaries(user, options);
  return { home, cluster: join(home, 'data'), socketDir, logDir, binaries, ...(user ? { user } : {}) };
}

/** The owner of existing data, else a user with one of our names, else a new system user, else nobody. */
async function unprivilegedUser(home: string): Promise<SystemUser> {
  const owner = await stat(home).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) {
    const known = await lookUp(String(owner.uid));
    if (known !== undefined) return known;
  }
  for (const name of ['millrace', 'postgres']) {
    const known = await lookUp(name);
    if (known !== undefined && known.uid !== 0) return known;
  }
  const shell = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'millrace'];
  // Without useradd, or with a read-only /etc, `nobody` is used.
  await run('useradd', shell, { timeout: 20_000 }).catch(() => undefined);
  const found = (await lookUp('millrace')) ?? (await lookUp('nobody'));
  if (found !== undefined) return found;
  throw new AppError('DATABASE_START_FAILED', 'PostgreSQL does not run as root and no other user was found');
}

async function lookUp(user: string): Promise<SystemUser | undefined> {
  try {
    const id = async (flag: string) =>
      (await run('id', [flag, '--', user], { timeout: 10_000 })).stdout.trim();
    return { name: await id('-un'), uid: Number(await id('-u')), gid: Number(await id('-g')) };
  } catch {
    return undefined;
  }
}

async function chooseHome(
  dataDir: string,
  user: SystemUser | undefined,
  options: PlacementOptions,
): Promise<string> {
  const pointer = join(dataDir, POINTER);
  const pointed = await readFile(pointer, 'utf8').catch(() => undefined);
  if (pointed !== undefined) return pointed.trim();
  if (user === undefined || (await canReach(dataDir, user))) return join(dataDir, 'postgres');

  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const home = await freeHome(join(options.fallbackRoot, hash), options.log);
  await mkdir(options.fallbackRoot, { recursive: true, mode: 0o755 });
  await writeFile(`${pointer}.new`, `${home}\n`);
  await rename(`${pointer}.new`, pointer);
  options.log.warn('embedded_database_placed_elsewhere', { dataDir, home, user: user.name, pointer });
  return home;
}

/**
 * A folder that no data folder has used: without a pointer to it, a database there belongs to a data folder that was
 * deleted, and its secrets to a key that is gone.
 */
async function freeHome(path: string, log: Logger): Promise<string> {
  let home = path;
  for (let count = 2; (await stat(home).catch(() => undefined)) !== undefined; count += 1) {
    log.warn('embedded_database_of_deleted_folder_left_aside', { home });
    home = `${path}-${count}`;
  }
  return home;
}

/**
 * Whether the user may pass through every folder on the way to `path`, and `path` itself. Access control lists are not
 * read.
 */
async function canReach(path: string, user: SystemUser): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { uid, gid, mode } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function ownFolder(path: string, user: SystemUser | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

/** Next to the data if the path is short enough, since cleaners of /tmp remove old sockets. */
async function chooseSocketDir(home: string, user: SystemUser | undefined): Promise<string> {
  const near = join(home, 'run');
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const isShort = Buffer.byteLength(near) <= SOCKET_DIR_BYTES_MAX;
  const path = isShort ? near : join(await realpath(tmpdir()), `millrace-${name}`);
  await ownFolder(path, user);
  const { uid, mode } = await stat(path);
  // In /tmp another user may have made this folder first.
  if (uid !== (user?.uid ?? process.getuid?.() ?? uid) || (mode & 0o077) !== 0) {
    throw new AppError('DATABASE_START_FAILED', `${path} is not a private folder of the database's user`, {
      path,
    });
  }
  if (Buffer.byteLength(path) > SOCKET_DIR_BYTES_MAX) {
    throw new AppError(
      'DATABASE_START_FAILED',
      `${path} is too long for a socket: set TMPDIR to a shorter folder`,
    );
  }
  return path;
}

async function reachableBinaries(
  user: SystemUser | undefined,
  options: PlacementOptions,
): Promise<PostgresBinaries> {
  const source = await realpath(options.binaries.home);
  if (user === undefined || (await canReach(join(source, 'bin'), user))) return options.binaries;
  const target = join(options.fallbackRoot, `postgresql-${options.binaries.version}`);
  if ((await stat(target).catch(() => undefined)) === undefined) {
    await mkdir(options.fallbackRoot, { recursive: true, mode: 0o755 });
    const temporary = join(options.fallbackRoot, `.${basename(target)}.${process.pid}`);
    await rm(temporary, { recursive: true, force: true });
    await cp(source, temporary, { recursive: true, verbatimSymlinks: true });
    // Another start may have made the same copy meanwhile, which is used then.
    await rename(temporary, target).catch(() => rm(temporary, { recursive: true, force: true }));
    options.log.info('embedded_database_programs_copied', { from: source, to: target, user: user.name });
  }
  return binariesIn(target, options.binaries.version);
}
