/** Runs one test file in a process group of its own, bounded in time and output, and reads its TAP. */
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import type { FileLimit } from './limits.ts';
import { countTap, type TapCounts } from './tap-counts.ts';

export interface FileResult extends TapCounts {
  readonly file: string;
  readonly tookMs: number;
  /** The end of its standard error, and of output that is not TAP. */
  readonly stderr: string;
}

export interface FileOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limit: Pick<FileLimit, 'counts' | 'ms'>;
  readonly signal: AbortSignal;
  /** Node's, before the file. */
  readonly nodeArgs?: readonly string[];
  /** Called with each piece of output. */
  readonly onOutput?: (chunk: Buffer) => void;
}

// limit: a file with more output fails.
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const STDERR_CHARS_MAX = 16_384;

export function runFile(file: string, options: FileOptions): Promise<FileResult> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...(options.nodeArgs ?? []), file], {
      cwd: options.root,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    let verdict: string | undefined;
    const end = (why: string) => {
      verdict ??= why;
      killGroup(child.pid);
    };
    const { counts: counted, ms } = options.limit;
    const why = counted === 'silence' ? `silent for ${ms} ms` : `not finished after ${ms} ms`;
    const timer = Number.isFinite(ms) ? setTimeout(() => end(why), ms) : undefined;
    const onAbort = () => end('interrupted');
    options.signal.addEventListener('abort', onAbort);
    child.stdout.on('data', (chunk: Buffer) => {
      if (counted === 'silence') timer?.refresh();
      options.onOutput?.(chunk);
      bytes += chunk.length;
      if (bytes > OUTPUT_BYTES_MAX) end('more output than a test may write');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-STDERR_CHARS_MAX);
    });
    child.on('error', (error) => end(error.message));
    // Processes that the file has left running in its group are killed, because they would keep its pipes and ports
    // open.
    child.on('exit', () => killGroup(child.pid));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      const counts = countTap(Buffer.concat(chunks).toString());
      const ended = verdict ?? (signal !== null ? `ended by ${signal}` : `ended with ${code}`);
      const named = counts.failures.filter(({ path }) => path !== '');
      // The reason of its end is reported rather than incomplete output, and failed assertions rather than only an exit
      // code.
      const isAbnormal = verdict !== undefined || signal !== null || (code !== 0 && named.length === 0);
      const failures = isAbnormal ? [...named, { path: '', diagnostic: ended }] : counts.failures;
      resolve({
        ...counts,
        failures,
        file: relative(options.root, file),
        tookMs: performance.now() - begin,
        stderr,
      });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no process.
  }
}
