/**
 * One embedded PostgreSQL server: started, or adopted when one from an earlier, killed program still runs. It outlives
 * a kill of this process on purpose, and the next start finds it. `keep.ts` restarts it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { diskFullCause } from '../lib/disk-space.ts';
import { type FolderLock, lockFolder } from '../lib/folder-lock.ts';
import type { Logger } from '../lib/logger.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from '../lib/process-identity.ts';
import { waitUntil } from '../lib/wait-until.ts';
import { findBinaries } from './binaries.ts';
import { DATABASE_NAME, DATABASE_USER, ensureCluster, serverEnvironment } from './cluster.ts';
import { type Placement, place } from './placement.ts';
import { findPostmaster, processesIn, readPostmasterFile } from './postmaster.ts';
import { probe } from './probe.ts';

export interface EmbeddedOptions {
  /** MILLRACE_DATA_DIR. The server's files are below it (or below `fallbackRoot`, see placement). */
  readonly dataDir: string;
  readonly log: Logger;
  /** False only for tests' throw-away data: no fsync, no durable commits. Default true. */
  readonly isDurable?: boolean;
  /** Default /var/lib/millrace. */
  readonly fallbackRoot?: string;
  readonly connectionsMax?: number;
  /** Ends the wait for a starting server, which continues and is adopted by the next start. */
  readonly signal?: AbortSignal;
  /** Called when the server has been launched or found. It takes a while until it accepts connections. */
  readonly onLaunch?: () => void;
}

export interface EmbeddedServer {
  /** For pg, MikroORM and psql: the socket's folder is the percent-encoded host. The same after every restart. */
  readonly url: string;
  readonly pid: number;
  /** True when an earlier program had left the server running. */
  readonly isAdopted: boolean;
  /** Resolves when the server has ended, expectedly or not. */
  readonly exited: Promise<void>;
  /** Fast shutdown: waits for the end, then releases the folder. Safe to call twice. */
  stop(): Promise<void>;
}

const PORT = 5432; // names the socket file only: the server listens on no address
const FALLBACK_ROOT = '/var/lib/millrace';
const LIVENESS_MS = 500;
const STOP_MS = 30_000;
/** How often a long recovery is logged. */
const WAITING_EVERY_MS = 10_000;

/** Throws DATA_DIR_IN_USE, DATA_DIR_VERSION or DATABASE_START_FAILED. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  await mkdir(options.dataDir, { recursive: true });
  const lock = await takeLock(options.dataDir);
  try {
    const binaries = await findBinaries();
    const fallbackRoot = options.fallbackRoot ?? FALLBACK_ROOT;
    const placement = await place({ dataDir: options.dataDir, binaries, fallbackRoot, log: options.log });
    return await open(placement, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The address of the server of a program that runs in the folder; undefined when there is none. */
export async function runningUrl(options: EmbeddedOptions): Promise<string | undefined> {
  const { dataDir, fallbackRoot = FALLBACK_ROOT, log } = options;
  const placement = await place({ dataDir, binaries: await findBinaries(), fallbackRoot, log });
  return findPostmaster(placement.cluster) === undefined ? undefined : urlOf(placement);
}

async function takeLock(dataDir: string): Promise<FolderLock> {
  const taken = await lockFolder(dataDir, 'postgres.lock', 'millrace');
  if (taken.ok) return taken.lock;
  const { pid, host } = taken.owner;
  throw new AppError(
    'DATA_DIR_IN_USE',
    `${dataDir} is in use by process ${pid} on ${host}: stop it first, or choose another MILLRACE_DATA_DIR`,
    { dataDir, pid, host },
  );
}

async function open(
  placement: Placement,
  lock: FolderLock,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const running = await findRunning(placement);
  if (running !== undefined) options.onLaunch?.();
  if (running !== undefined && (await becomesReady(placement, running, options))) {
    options.log.info('embedded_database_adopted', { pid: running.pid, home: placement.home });
    return serve(placement, running, undefined, lock);
  }
  await awaitQuiet(placement, options.log);
  await ensureCluster(placement, options.isDurable ?? true, options.log);
  const child = launch(placement, options);
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  options.onLaunch?.();
  if (identity === undefined || !(await becomesReady(placement, identity, options))) {
    child.kill('SIGQUIT');
    const output = startOutput(placement);
    throw new AppError(
      'DATABASE_START_FAILED',
      'the embedded PostgreSQL did not start',
      { home: placement.home, output },
      { cause: diskFullCause(output, placement.home) },
    );
  }
  options.log.info('embedded_database_started', { pid: identity.pid, home: placement.home });
  return serve(placement, identity, child, lock);
}

/** A server that is stopping can't be used, so this waits for its end. */
async function findRunning(placement: Placement): Promise<ProcessIdentity | undefined> {
  const running = findPostmaster(placement.cluster);
  if (running === undefined) return undefined;
  const isStopping = () => readPostmasterFile(placement.cluster)?.status === 'stopping';
  if (!isStopping()) return running;
  await waitUntil(() => !isAlive(running), { timeoutMs: STOP_MS });
  return undefined;
}

/** After a kill of the postmaster its children end by themselves; until then its shared memory is in use. */
async function awaitQuiet(placement: Placement, log: Logger): Promise<void> {
  const { cluster } = placement;
  if (processesIn(cluster).length > 0) log.info('embedded_database_waiting_for_processes');
  const isQuiet = await waitUntil(() => processesIn(cluster).length === 0, { timeoutMs: 60_000 });
  if (isQuiet === undefined) {
    throw new AppError('DATABASE_START_FAILED', `processes of an earlier server do not end in ${cluster}`, {
      pids: processesIn(cluster),
    });
  }
  if (findPostmaster(cluster) !== undefined) return;
  // Their pid may belong to another process by now, or to a zombie; then PostgreSQL would refuse to start.
  const socket = socketPath(placement);
  for (const path of [join(cluster, 'postmaster.pid'), socket, `${socket}.lock`])
    await rm(path, { force: true });
}

function launch(placement: Placement, options: EmbeddedOptions): ChildProcess {
  const { user } = placement;
  const output = openSync(join(placement.logDir, 'start.log'), 'w', 0o600);
  try {
    const child = spawn(
      placement.binaries.postgres,
      ['-D', placement.cluster, ...settings(placement, options)],
      {
        cwd: placement.home,
        env: serverEnvironment(),
        // Its own process group: Ctrl-C in a terminal must reach only this program, which stops the server after it has
        // drained.
        detached: true,
        stdio: ['ignore', output, output],
        ...(user ? { uid: user.uid, gid: user.gid } : {}),
      },
    );
    child.on('error', () => undefined); // the caller checks for the missing pid
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
}

function settings(placement: Placement, options: EmbeddedOptions): string[] {
  const isDurable = options.isDurable ?? true;
  const values = {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: placement.socketDir,
    unix_socket_permissions: '0700',
    max_connections: options.connectionsMax ?? 60,
    shared_buffers: '128MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '1GB',
    wal_compression: 'on',
    fsync: isDurable ? 'on' : 'off',
    synchronous_commit: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    timezone: 'UTC',
    // Statements are not logged, because they contain users' data and secrets.
    log_min_error_statement: 'panic',
    log_min_messages: 'warning',
    log_parameter_max_length: 0,
    log_parameter_max_length_on_error: 0,
    logging_collector: 'on',
    log_directory: placement.logDir,
    log_filename: 'postgres-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: 0,
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** False when the process ends before it accepts connections. Crash recovery may take any time. */
async function becomesReady(
  placement: Placement,
  server: ProcessIdentity,
  { signal, log }: EmbeddedOptions,
): Promise<boolean> {
  const socket = socketPath(placement);
  const begin = performance.now();
  let loggedMs = begin;
  const state = await waitUntil(
    async () => {
      if (!isAlive(server)) return 'ended' as const;
      const answer = await probe(socket, DATABASE_USER, DATABASE_NAME, 5_000);
      if (answer === 'ready' || answer === 'refused') return answer;
      if (performance.now() - loggedMs >= WAITING_EVERY_MS) {
        loggedMs = performance.now();
        log.warn('embedded_database_recovering', {
          waitedMs: Math.round(loggedMs - begin),
        });
      }
      return undefined;
    },
    { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 30, ...(signal === undefined ? {} : { signal }) },
  ).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
    throw new AppError('SHUTTING_DOWN', 'the start of the embedded PostgreSQL was not waited for');
  });
  return state === 'ready';
}

function serve(
  placement: Placement,
  identity: ProcessIdentity,
  child: ChildProcess | undefined,
  lock: FolderLock,
): EmbeddedServer {
  const exited = child === undefined ? pollExit(identity) : childExit(child);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    // Not `exited`: its watch must not keep a program alive, so nothing may wait for it here.
    await shutDown(identity, placement);
    lock.release();
  };
  exited.then(() => lock.release());
  return {
    url: urlOf(placement),
    pid: identity.pid,
    isAdopted: child === undefined,
    exited,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

function urlOf({ socketDir }: Placement): string {
  return `postgresql://${DATABASE_USER}@${encodeURIComponent(socketDir)}:${PORT}/${DATABASE_NAME}`;
}

function childExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

function pollExit(identity: ProcessIdentity): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isAlive(identity)) return;
      clearInterval(timer);
      resolve();
    }, LIVENESS_MS);
    timer.unref();
  });
}

/**
 * SIGINT ends sessions and stops cleanly. If that takes too long, SIGQUIT ends at once, and the next start recovers.
 */
async function shutDown(identity: ProcessIdentity, placement: Placement): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isAlive(identity)) return;
    process.kill(identity.pid, signal);
    const isGone = await waitUntil(() => !isAlive(identity), { timeoutMs: STOP_MS, everyMs: 20 });
    if (isGone !== undefined) return;
  }
  throw new AppError('DATABASE_START_FAILED', `the embedded PostgreSQL in ${placement.home} does not stop`, {
    pid: identity.pid,
  });
}

function socketPath(placement: Placement): string {
  return join(placement.socketDir, `.s.PGSQL.${PORT}`);
}

/** The server's last output: before its log collector ran, and through it. */
function startOutput(placement: Placement): string {
  return readdirSync(placement.logDir)
    .map((name) => join(placement.logDir, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .slice(-2)
    .map((path) => readFileSync(path, 'utf8').slice(-2_000))
    .join('');
}
