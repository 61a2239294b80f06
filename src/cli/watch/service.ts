/** The service that a watch uses: one that runs already, or its own, which it starts and stops. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '../../domain/errors.ts';
import { addressText, calledAddress, isLoopback } from '../../lib/listen-address.ts';
import { UsageError } from '../frame/exit-codes.ts';
import { fileProblem } from '../frame/file-problem.ts';
import { makeDirectory } from './directories.ts';
import { wordsOf } from './log-words.ts';

export const DEFAULT_ADDRESS = '127.0.0.1:8080';

const START_MS = 120_000;
/** limit: different warnings of its log that are shown. */
const WARNINGS = 5;
/** The beginning of a program's lines for people; other lines belong to its log. */
const SAID = 'millrace: ';

export interface OwnService {
  readonly url: string;
  /** The absolute path of its data folder. */
  readonly dataDir: string;
  readonly logFile: string;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Whether the address is one of this machine: then the service has the same directories. */
export function isOfThisMachine(url: string): boolean {
  const host = hostOf(new URL(url));
  const own = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
  return isLoopback(host) || host === hostname().toLowerCase() || own.includes(host);
}

/** An address of IPv6 is without its brackets. */
function hostOf({ hostname: name }: URL): string {
  return name.replace(/^\[(.*)\]$/, '$1');
}

export interface StartOptions {
  readonly program: string;
  readonly dataDir: string;
  /** host:port; port 0 takes a free one. */
  readonly http: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets each line that it prints for its user before it is ready, such as the password of the first account. */
  readonly onSaid: (line: string) => void;
  /** Ends the start. */
  readonly signal: AbortSignal;
}

/**
 * Starts `millrace up` with its log in a file of its data folder. Resolves when it is ready. Throws SHUTTING_DOWN with
 * the reason if it ends before, is not ready after two minutes, or the signal ends the start.
 */
export async function startService(options: StartOptions): Promise<OwnService> {
  const { program, dataDir, http, env, onSaid, signal } = options;
  const folder = resolve(dataDir);
  const logFile = join(folder, 'service.log');
  const log = await openLog(folder, logFile);
  const startAt = fstatSync(log).size;
  // The child has a process group of its own, so that Ctrl-C reaches only this program, which then stops the service
  // in order. If this program is killed, the channel closes, and the service ends by itself.
  const child = spawn(process.execPath, [program, 'up'], {
    env: { ...env, MILLRACE_DATA_DIR: folder, MILLRACE_HTTP: http },
    stdio: ['ignore', 'pipe', log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<void>((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  try {
    if (signal.aborted) end();
    const url = await readyUrl(child, ended, onSaid);
    return { url, dataDir: folder, logFile, ended, stop: () => stop(child, ended) };
  } catch (error) {
    await stop(child, ended);
    const reason = error instanceof Error ? error.message : String(error);
    const said = await reasonIn(logFile, startAt);
    throw new AppError('SHUTTING_DOWN', `the service did not start: ${reason}\n${said}\nIts log: ${logFile}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Makes the folder if it does not exist, and opens the file in it. Throws a UsageError if that is not possible. */
async function openLog(folder: string, logFile: string): Promise<number> {
  try {
    // Others may pass through: started by root, the embedded database runs as a user of its own. What is secret in the
    // folder is a file that only the caller can read.
    await makeDirectory(folder, 0o711);
    return openSync(logFile, 'a', 0o600);
  } catch (error) {
    const help = 'name another by --data-dir or MILLRACE_DATA_DIR';
    throw new UsageError(`${folder} cannot have the data of a service: ${fileProblem(error)}; ${help}`);
  }
}

function readyUrl(
  child: ChildProcess,
  ended: Promise<void>,
  onSaid: StartOptions['onSaid'],
): Promise<string> {
  return new Promise((found, failed) => {
    const timer = setTimeout(
      () => failed(new Error(`it was not ready after ${START_MS / 1_000} s`)),
      START_MS,
    );
    void ended.then(() => {
      clearTimeout(timer);
      failed(new Error('it ended'));
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^ready (\S+)$/.exec(line)?.[1];
      if (url === undefined) return onSaid(line);
      clearTimeout(timer);
      found(calledUrl(url));
    });
  });
}

/** The address at which this program calls a service that says that it listens at `url`. */
function calledUrl(url: string): string {
  const parsed = new URL(url);
  const { protocol, port } = parsed;
  // A port that is the scheme's own is absent from a parsed URL.
  const address = { host: hostOf(parsed), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  return `${protocol}//${addressText(calledAddress(address))}`;
}

/** The service's lines for people since its start; without any, the latest warnings of its log in words. */
async function reasonIn(logFile: string, startAt: number): Promise<string> {
  const bytes = await readFile(logFile).catch(() => Buffer.alloc(0));
  const lines = bytes.subarray(startAt).toString('utf8').trimEnd().split('\n');
  const said = lines.filter((line) => line.startsWith(SAID)).map((line) => line.slice(SAID.length));
  if (said.length > 0) return said.join('\n');
  const words = new Set(lines.flatMap((line) => wordsOf(line) ?? []));
  return words.size > 0 ? [...words].slice(-WARNINGS).join('\n') : 'its log has no warning';
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}
