/**
 * `millrace rotate-key`: adds a key to the file of keys for secrets, or removes those that are no longer needed. The
 * coordinators do the rest: they read the file again every few seconds.
 */
import { AppError } from '../domain/errors.ts';
import { createLogger } from '../observe/log.ts';
import { openDatabase } from '../store/database.ts';
import { addKey, readKeyFile, retireKeys } from '../store/secret-key/key-file.ts';
import { keyOverviews } from '../store/secret-key/save.ts';
import type { Context } from './frame/context.ts';
import { readConfig } from './frame/read-config.ts';
import type { SettingOptions } from './frame/settings.ts';

export interface RotateKeyOptions extends SettingOptions {
  readonly removeOld?: boolean;
  readonly sure?: boolean;
}

export async function runRotateKey(context: Context, options: RotateKeyOptions): Promise<void> {
  const { secretKeyFile: file, databaseUrl } = readConfig(context.terminal.env, options);
  if (options.removeOld !== true) return context.print(`${file} has a new key, ${await addKey(file)}`);
  await refuseNeeded(file, options.sure === true, databaseUrl?.reveal());
  const removed = await retireKeys(file);
  context.print(
    removed.length === 0
      ? `${file} has one key only`
      : `${removed.join(', ')} moved to ${file}.retired: keep it as long as backups from before`,
  );
}

/** Throws AppError STATE_CONFLICT while a secret may be encrypted with a key other than the newest. */
async function refuseNeeded(file: string, isSure: boolean, url: string | undefined): Promise<void> {
  if (url === undefined) {
    if (isSure) return;
    const text = 'see in /v6/secret-keys/ that the newest key is completed, then add --sure';
    throw new AppError('STATE_CONFLICT', text);
  }
  const newest = (await readKeyFile(file)).at(-1)?.id;
  const database = await openDatabase({
    url,
    log: createLogger({ level: 'warn', name: 'millrace-rotate-key' }),
  });
  try {
    const current = (await keyOverviews(database.sql)).find(({ isCurrent }) => isCurrent);
    if (current?.id === newest && current?.completed !== null) return;
    const text = `secrets are still being encrypted with ${newest}: see /v6/secret-keys/, and try again`;
    throw new AppError('STATE_CONFLICT', text);
  } finally {
    await database.close();
  }
}
