/**
 * Creates the embedded server's cluster: initdb into a temporary folder, our database in it, then one rename, so that a
 * start that is killed half-way leaves nothing that looks complete. Refuses data of another version.
 */
import { spawn } from 'node:child_process';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { diskFullCause } from '../lib/disk-space.ts';
import type { Logger } from '../lib/logger.ts';
import type { Placement } from './placement.ts';

export const DATABASE_USER = 'millrace';
export const DATABASE_NAME = 'millrace';

const OUTPUT_CHARS_MAX = 16_384;

/** Throws DATA_DIR_VERSION when the cluster belongs to another major version. */
export async function ensureCluster(placement: Placement, isDurable: boolean, log: Logger): Promise<void> {
  const found = await readFile(join(placement.cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (found !== undefined) return checkVersion(placement, Number.parseInt(found, 10));
  await removeUnfinished(placement.home);
  const temporary = join(placement.home, `.init-${process.pid}`);
  log.info('embedded_database_creating', {
    home: placement.home,
    version: placement.binaries.version,
  });
  const sync = isDurable ? [] : ['--no-sync'];
  await runTool(
    placement,
    placement.binaries.initdb,
    // The builtin provider's C locale sorts the same on every machine.
    ['-D', temporary, '-U', DATABASE_USER, '--auth=trust', '--encoding=UTF8', '--locale=C'].concat(
      ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
      sync,
    ),
    '',
  );
  const single = ['--single', '-D', temporary, '-c', isDurable ? 'fsync=on' : 'fsync=off', 'postgres'];
  await runTool(placement, placement.binaries.postgres, single, `create database ${DATABASE_NAME}\n`);
  await rename(temporary, placement.cluster);
}

function checkVersion(placement: Placement, found: number): void {
  if (found === placement.binaries.major) return;
  throw new AppError(
    'DATA_DIR_VERSION',
    `${placement.cluster} holds data of PostgreSQL ${found}; this release brings PostgreSQL ` +
      `${placement.binaries.version}. To take the data along: start the earlier Millrace release on this folder, ` +
      'write the data out with `millrace backup`, stop it, ' +
      `move ${placement.home} away, and read the data in with \`millrace restore\` of this release.`,
    { found, needed: placement.binaries.major },
  );
}

async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('.init-')) await rm(join(home, name), { recursive: true, force: true });
  }
}

/** Runs one of PostgreSQL's programs; its output becomes part of the error when it fails. */
function runTool(placement: Placement, program: string, args: string[], input: string): Promise<void> {
  const { user } = placement;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: placement.home,
      env: serverEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 120_000,
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARS_MAX);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.stdin.on('error', () => undefined); // it may end before it has read the input; its exit code gives the reason
    child.stdin.end(input);
    const fail = (why: string, cause: unknown = diskFullCause(output, placement.home)) =>
      reject(
        new AppError('DATABASE_START_FAILED', `${program}: ${why}`, { output: output.trim() }, { cause }),
      );
    child.on('error', (error) => fail(error.message, error));
    // Single-user mode exits with 0 even when the statement failed: the error is in the output.
    child.on('close', (code) =>
      code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(output) ? resolve() : fail(`ended with ${code}`),
    );
  });
}

/** PostgreSQL's programs do not get our variables, some of which contain passwords. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
