/** A command as it is typed, run inside this process: what it writes, and its exit code. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Terminal } from '../../src/cli/frame/context.ts';
import type { Program, Programs } from '../../src/cli/programs.ts';
import { runCommand } from '../../src/cli/run-command.ts';

export interface TypedOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly programs?: Partial<Programs>;
  /** Whether standard error is a terminal. */
  readonly isTerminal?: boolean;
}

export interface RunTyped {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How often the programs that serve were loaded. */
  readonly loads: number;
  readonly process: EventEmitter;
}

export async function runTyped(args: readonly string[], options: TypedOptions = {}): Promise<RunTyped> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written, isTerminal: boolean) => {
    const target = new PassThrough();
    target.on('data', (piece: Buffer) => {
      written[name] += piece;
    });
    return Object.assign(target, { isTTY: isTerminal, columns: isTerminal ? 80 : undefined });
  };
  const process = new EventEmitter();
  let loads = 0;
  const none: Program = async () => undefined;
  const terminal = {
    env: { MILLRACE_LOG_LEVEL: 'silent', ...options.env },
    stdin: Object.assign(new PassThrough(), { isTTY: false }),
    stdout: stream('stdout', false),
    stderr: stream('stderr', options.isTerminal === true),
    ...{ process, cwd: '/', program: 'millrace', version: '1.2.3', exit: () => undefined },
    load: async () => {
      loads += 1;
      return { runUp: none, runCoordinator: none, runAgent: none, ...options.programs };
    },
  } as unknown as Terminal;
  const code = await runCommand(args, terminal);
  return { code, ...written, loads, process };
}
