/** The service as a child process: `millrace up`, started by its own program and ended by a signal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { AppError } from '../../domain/errors.ts';

export interface Service {
  readonly url: string;
  /** Resident memory by process, MiB. */
  memory(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

const START_MS = 120_000;

/** Settings of a service, which a demo does not take over: it has a database, an address and executors of its own. */
const SETTING = /^(?:MILLRACE_|DATABASE_URL$|NATS_URL$)/;

/** Starts on a free port of loopback; resolves when it is ready. */
export async function startService(
  program: string,
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Service> {
  const child = spawn(process.execPath, [program, 'up'], {
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !SETTING.test(name))),
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_HTTP: '127.0.0.1:0',
      MILLRACE_EXECUTORS: 'process:default',
      MILLRACE_LOG_LEVEL: 'warn',
    },
    // If this program is killed, or nobody reads its output, the channel closes, and the service ends by itself.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await readyUrl(child);
  return {
    url,
    memory: () => memoryOf(child.pid ?? 0),
    stop: () => stop(child),
  };
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(new AppError('SHUTTING_DOWN', `the service did not start: ${reason}`));
    const timer = setTimeout(() => fail(`nothing said for ${START_MS / 1_000} s`), START_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`it ended with ${code}`);
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^ready (\S+)$/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

async function memoryOf(pid: number): Promise<ReadonlyMap<string, number>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
  return Number.isNaN(kib) ? new Map() : new Map([['coordinator and agent, one process', kib / 1_024]]);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  await ended;
}
