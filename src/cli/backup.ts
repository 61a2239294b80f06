/**
 * `millrace backup` writes the whole database to a file, and `millrace restore` reads it back. Both connect to the
 * database directly: DATABASE_URL, or the embedded server in MILLRACE_DATA_DIR, whether `millrace up` runs or not.
 */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { ENCRYPTED_PLACES } from '../coordinator/secrets/encrypted-places.ts';
import { AppError } from '../domain/errors.ts';
import { runningUrl, startEmbedded } from '../embedded/postgres.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secret } from '../lib/secret.ts';
import { createLogger } from '../observe/log.ts';
import { beginAudit, finishAudit } from '../store/audit/save.ts';
import { completeRestore } from '../store/backup/after-restore.ts';
import { BackupReader } from '../store/backup/backup-reader.ts';
import { PASSPHRASE_CHARS_MIN, unlockKeys } from '../store/backup/key-box.ts';
import { restoreBackup, verifyBackup } from '../store/backup/restore.ts';
import { type OnProgress, takeBackup } from '../store/backup/take-backup.ts';
import { openDatabase } from '../store/database.ts';
import { addOlderKeys, readKeyFile } from '../store/secret-key/key-file.ts';
import type { SecretKey } from '../store/secret-key/key-ring.ts';
import type { Sql } from '../store/sql/sql.ts';
import { type Context, isScreen } from './frame/context.ts';
import { UsageError } from './frame/exit-codes.ts';
import { readConfig } from './frame/read-config.ts';
import type { SettingOptions } from './frame/settings.ts';
import { askPassphrase, readPassphrase } from './passphrase.ts';

export interface BackupOptions extends SettingOptions {
  readonly withSecretKey?: boolean;
  readonly passphraseFile?: string;
  readonly passphraseFd?: string;
}

type BackupCommand = 'backup' | 'restore';

interface Order {
  readonly file: string;
  readonly withSecretKey: boolean;
  /** The path of a file or the number of a descriptor that holds it. */
  readonly passphrase: string | number | undefined;
}

export async function runBackup(
  context: Context,
  command: BackupCommand,
  options: BackupOptions,
  file: string,
): Promise<void> {
  const { env, cwd } = context.terminal;
  const config = readConfig(env, options);
  const order = { ...orderOf(command, options), file: resolve(cwd, file) };
  const { signal } = context;
  const shown = progressLine(context);
  const log = createLogger({ level: 'error', name: `millrace-${command}` });
  const run: Run = { ...order, command, context, config, log, signal, onProgress: shown.show };
  try {
    const lines = await (command === 'backup' ? backUp(run) : restore(run));
    shown.clear();
    for (const line of lines) context.print(line);
  } catch (error) {
    shown.clear();
    if (signal.aborted) context.terminal.stderr.write(`millrace: interrupted: ${INTERRUPTION[command]}\n`);
    throw error;
  }
}

const INTERRUPTION: Readonly<Record<BackupCommand, string>> = {
  backup: 'no backup was written',
  restore: 'nothing was restored',
};

interface Run extends Order {
  readonly command: BackupCommand;
  readonly context: Context;
  readonly config: Config;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

function orderOf(
  command: BackupCommand,
  { withSecretKey = false, passphraseFile, passphraseFd }: BackupOptions,
): Omit<Order, 'file'> {
  const passphrase = passphraseFile ?? (passphraseFd === undefined ? undefined : Number(passphraseFd));
  const problems: string[] = [];
  if (passphrase === '') problems.push('--passphrase-file: a path is needed');
  if (typeof passphrase === 'number' && !/^\d{1,6}$/.test(passphraseFd ?? '')) {
    problems.push('--passphrase-fd: a number is needed');
  }
  if (passphrase !== undefined && command === 'backup' && !withSecretKey) {
    problems.push('a passphrase is of use with --with-secret-key only');
  }
  if (problems.length > 0) throw new UsageError(...problems);
  return { withSecretKey, passphrase };
}

async function backUp(run: Run): Promise<string[]> {
  const { context, config, file, log, signal, onProgress } = run;
  const nowMs = Date.now();
  const secretKeys = run.withSecretKey ? await keysToWrite(run) : undefined;
  return withServer(run, async (url) => {
    const options = { url, path: file, version: context.terminal.version, nowMs, signal, onProgress };
    const done = await takeBackup({ ...options, ...(secretKeys === undefined ? {} : { secretKeys }) });
    const database = await openDatabase({ url, log });
    await audited(run, database.sql).finally(() => database.close());
    const lines = [`${file}: ${done.rows} rows of ${done.tables} tables, ${sizeOf(done.bytes)}`];
    if (done.foreign.length > 0) {
      lines.push(`Not in it, because they are not Millrace's: ${done.foreign.join(', ')}`);
    }
    if (secretKeys === undefined) {
      lines.push(`Not in it: the keys that secrets are encrypted with. Keep ${config.secretKeyFile}, too`);
    }
    return lines;
  });
}

async function keysToWrite({ passphrase, config, signal }: Run) {
  const keys = await readKeyFile(config.secretKeyFile);
  const given = passphrase === undefined ? await askTwice(signal) : await readPassphrase(passphrase);
  if (given.reveal().length < PASSPHRASE_CHARS_MIN) {
    throw new AppError('INVALID_REQUEST', `a passphrase has at least ${PASSPHRASE_CHARS_MIN} characters`);
  }
  return { keys, passphrase: given };
}

const NO_TERMINAL =
  'a passphrase is needed, and there is no terminal to ask on: --passphrase-file names a file with it, ' +
  '--passphrase-fd 0 reads standard input';

async function askTwice(signal: AbortSignal): Promise<Secret> {
  const first = await askPassphrase('Passphrase for the keys: ', signal);
  if (first === undefined) {
    throw new AppError('INVALID_REQUEST', NO_TERMINAL);
  }
  const second = await askPassphrase('Again: ', signal);
  if (second?.reveal() === first.reveal()) return first;
  throw new AppError('INVALID_REQUEST', 'the two passphrases differ');
}

async function restore(run: Run): Promise<string[]> {
  const { config, file, log, signal, onProgress } = run;
  const reader = await BackupReader.open(file);
  try {
    const keys = await keysOf(reader, run);
    await verifyBackup(reader, onProgress, signal);
    return await withServer(run, async (url) => {
      await restoreBackup({ url, reader, onProgress, signal });
      const added = keys.length === 0 ? [] : await addOlderKeys(config.secretKeyFile, keys);
      const unreadable = await completeRestore({
        ...{ url, log, places: ENCRYPTED_PLACES },
        keys: existsSync(config.secretKeyFile) ? await readKeyFile(config.secretKeyFile) : [],
        also: (sql) => audited(run, sql),
      });
      return [
        ...restoredLines(reader),
        ...(added.length === 0
          ? []
          : [`${config.secretKeyFile} has the keys of the backup: ${added.join(', ')}`]),
        ...(reader.header.secret_keys === undefined || keys.length > 0
          ? []
          : ['Not restored: the keys in the backup, because no passphrase was given']),
        ...unreadable.map(
          ({ table, name }) => `Cannot be decrypted: the secrets of ${KINDS[table] ?? table} ${name}`,
        ),
        ...(unreadable.length === 0
          ? []
          : [`Put the keys of then into ${config.secretKeyFile}: coordinators do not start without them`]),
      ];
    });
  } finally {
    await reader.close();
  }
}

const KINDS: Readonly<Record<string, string>> = { job_type: 'job type' };

/** The keys in the backup; none if it has none or no passphrase is given. Throws AppError INVALID_REQUEST. */
async function keysOf({ header }: BackupReader, { passphrase, signal }: Run): Promise<readonly SecretKey[]> {
  const { secret_keys: locked } = header;
  if (locked === undefined) {
    if (passphrase === undefined) return [];
    throw new AppError('INVALID_REQUEST', 'the backup has no keys: it was taken without --with-secret-key');
  }
  const given =
    passphrase === undefined
      ? await askPassphrase('Passphrase of the backup (empty: restore without its keys): ', signal)
      : await readPassphrase(passphrase);
  return given === undefined || given.reveal() === '' ? [] : unlockKeys(locked, given);
}

function restoredLines({ header }: BackupReader): string[] {
  const unfinished = Object.entries(header.unfinished).map(
    // `jobs RUNNING`, and one of them.
    ([what, count]) => `${count} ${count === 1 ? what.replace(/s\b/, '') : what}`,
  );
  return [
    `Restored: ${header.tables.length} tables as of ${header.created}, from Millrace ${header.millrace} ` +
      `on PostgreSQL ${header.postgresql}`,
    `Not finished then: ${unfinished.length === 0 ? 'nothing' : unfinished.join(', ')}`,
    ...(unfinished.length === 0 ? [] : ['It continues when coordinators and agents run']),
    'Agents end what they run for jobs that were created since then: `millrace status` names it in warnings of nodes',
    'Files that were ingested or made since then have no record: `millrace file unrecorded WORKSPACE` lists them',
  ];
}

/**
 * Calls `work` with the URL of the database. Starts the embedded server if it does not run, and stops it afterwards.
 */
async function withServer<T>({ command, config, log }: Run, work: (url: string) => Promise<T>): Promise<T> {
  const { dataDir } = config;
  const url = config.databaseUrl?.reveal();
  if (url !== undefined) return work(url);
  // A mistyped folder must not create a new installation.
  if (!existsSync(dataDir) && command === 'backup') {
    throw new UsageError(`there is no ${dataDir}: set DATABASE_URL, or MILLRACE_DATA_DIR`);
  }
  const running = existsSync(dataDir) ? await runningUrl({ dataDir, log }) : undefined;
  if (running !== undefined) return work(running);
  const embedded = await startEmbedded({ dataDir, log });
  return work(embedded.url).finally(() => embedded.stop());
}

async function audited({ command, file }: Run, sql: Sql): Promise<void> {
  const person = {
    accountId: null,
    username: userInfo().username,
    knownBy: 'command' as const,
    tokenId: null,
  };
  const place = { address: hostname(), requestId: '', method: 'COMMAND' };
  const entry = { atMs: Date.now(), ...person, ...place, route: `millrace ${command}`, path: file };
  const [id = 0] = await beginAudit(sql, [entry]);
  await finishAudit(sql, [{ id, status: 200, recordId: null }]);
}

const SHOW_EVERY_MS = 100;

/** A line on the terminal that is overwritten with each progress. */
function progressLine({ terminal: { stderr, env } }: Context) {
  let shownMs = 0;
  const show: OnProgress = (step, done, total) => {
    const nowMs = performance.now();
    if (!isScreen(stderr, env) || nowMs - shownMs < SHOW_EVERY_MS) return;
    shownMs = nowMs;
    stderr.write(`\r\x1b[K${String(Math.floor((100 * done) / Math.max(total, 1))).padStart(3)}% ${step}`);
  };
  return { show, clear: () => (shownMs > 0 ? stderr.write('\r\x1b[K') : undefined) };
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
