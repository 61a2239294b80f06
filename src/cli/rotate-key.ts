/**
 * `millrace rotate-key`: adds a key to the file that secrets are encrypted with, or takes those away that are no longer
 * needed. All else is the coordinators' business: they read the file again every few seconds.
 */
import { parseConfig } from '../config/config.ts';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openDatabase } from '../store/database.ts';
import { addKey, readKeyFile, retireKeys } from '../store/secret-key/key-file.ts';
import { keyOverviews } from '../store/secret-key/save.ts';

export const ROTATE_KEY_USAGE = `Usage: millrace rotate-key [--remove-old [--sure]] [--secret-key-file <path>]

Adds a new key to MILLRACE_SECRET_KEY_FILE. Where hosts have copies of their own, copy it to all of them. Once every
coordinator has it (they look every 5 s), it is used, and what older keys have encrypted is encrypted again;
\`/v6/secret-keys/\` tells how far that is.

  --remove-old   moves the older keys to <file>.retired, once nothing is encrypted with them any more. That is looked up
                 in DATABASE_URL; for an embedded database look yourself, and say --sure. Backups that are older than
                 the change need the retired keys.
`;

export interface RotateKeyCall {
  /** After the command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** The exit code: 0 done, 1 failed or refused, 2 called wrongly. */
export async function runRotateKey(call: RotateKeyCall): Promise<number> {
  const own = ['--remove-old', '--sure'];
  const checked = parseConfig(
    'up',
    call.env,
    call.args.filter((arg) => !own.includes(arg)),
  );
  if (!checked.ok) {
    const problems = checked.errors.map(({ path, description }) => `millrace: ${path}: ${description}\n`);
    call.stderr(`${problems.join('')}${ROTATE_KEY_USAGE}`);
    return 2;
  }
  const { secretKeyFile: file, databaseUrl } = checked.value;
  try {
    if (!call.args.includes('--remove-old')) {
      call.stdout(`${file} has a new key, ${await addKey(file)}\n`);
      return 0;
    }
    await refuseNeeded(file, call, databaseUrl?.reveal());
    const removed = await retireKeys(file);
    call.stdout(
      removed.length === 0
        ? `${file} has one key only\n`
        : `${removed.join(', ')} moved to ${file}.retired: keep it as long as backups from before\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    call.stderr(`millrace: ${error.message}\n`);
    return 1;
  }
}

/** Throws AppError STATE_CONFLICT while something may be encrypted with another key than the newest. */
async function refuseNeeded(file: string, call: RotateKeyCall, url: string | undefined): Promise<void> {
  if (url === undefined) {
    if (call.args.includes('--sure')) return;
    const text = 'see in /v6/secret-keys/ that the newest key is completed, then add --sure';
    throw new AppError('STATE_CONFLICT', text);
  }
  const newest = (await readKeyFile(file)).at(-1)?.id;
  const database = await openDatabase({ url, log: call.log });
  try {
    const current = (await keyOverviews(database.sql)).find(({ isCurrent }) => isCurrent);
    if (current?.id === newest && current?.completed !== null) return;
    const text = `secrets are still being encrypted with ${newest}: see /v6/secret-keys/, and try again`;
    throw new AppError('STATE_CONFLICT', text);
  } finally {
    await database.close();
  }
}
