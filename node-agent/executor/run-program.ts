/** Runs a program of the host to its end: without a shell, with a clean environment, bounded in time and output. */
import { execFile } from 'node:child_process';

const OUTPUT_BYTES_MAX = 1024 * 1024;
const DETAIL_CHARS_MAX = 500;

/** The start of the program's error output. `exitCode` is undefined if it was killed or did not start. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure';
  readonly exitCode: number | undefined;

  constructor(message: string, exitCode: number | undefined) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns its standard output. Throws ProgramFailure. */
export function runProgram(program: string, args: readonly string[], timeoutMs: number): Promise<string> {
  const options = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES_MAX,
    cwd: '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
  } as const;
  return new Promise((resolve, reject) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      const reason =
        (error.killed ? `ended after ${timeoutMs} ms` : stderr).trim() || (error.code ?? 'failed');
      const detail = String(reason).replace(/\s+/g, ' ').slice(-DETAIL_CHARS_MAX);
      reject(new ProgramFailure(detail, typeof error.code === 'number' ? error.code : undefined));
    });
  });
}
