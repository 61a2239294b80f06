/** A `millrace` program as a real process, started as its users start it, in a clean environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/config/config.ts';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';
import { signal } from './folder-processes.ts';
import { until } from './until.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');
const START_MS = 180_000;

export interface ProgramOptions {
  readonly command: Command;
  /** After the command. */
  readonly args?: readonly string[];
  /** File that its standard error goes to; its standard output goes beside it. */
  readonly logFile: string;
  readonly env: Readonly<Record<string, string>>;
  /** Another version's `millrace.js`. */
  readonly program?: string;
  /** A command that ends in becoming the one that follows it as its arguments, such as `nice`. */
  readonly within?: readonly string[];
}

export class Program {
  readonly options: ProgramOptions;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number>;
  #url = '';

  private constructor(options: ProgramOptions) {
    this.options = options;
    const out = openSync(`${options.logFile}.out`, 'w');
    const err = openSync(options.logFile, 'a');
    try {
      const { within = [], program: bin = BIN, command } = options;
      const { args: own = [] } = options;
      const [program = '', ...args] = [...within, process.execPath, bin, command, ...own];
      this.#child = spawn(program, args, {
        // Its tests' instrumentation and the caller's own settings stay out of it.
        env: { PATH: process.env.PATH, ...compiledPrograms(), ...options.env },
        stdio: ['ignore', out, err],
      });
    } finally {
      closeSync(out);
      closeSync(err);
    }
    this.pid = this.#child.pid ?? 0;
    this.#exited = new Promise((resolve) => {
      this.#child.on('exit', (code, name) => resolve(code ?? (name === 'SIGKILL' ? 137 : 128)));
      this.#child.on('error', () => resolve(127));
    });
  }

  /** Starts and does not wait. */
  static launch(options: ProgramOptions): Program {
    return new Program(options);
  }

  /** Resolves when it has printed that it is ready. */
  static async start(options: ProgramOptions): Promise<Program> {
    const program = new Program(options);
    await program.ready();
    return program;
  }

  async ready(): Promise<void> {
    this.#url = await until(
      `${this.options.command} is ready`,
      () => {
        if (this.hasExited) return 'ended';
        return /^ready (.+)$/m.exec(this.output)?.[1];
      },
      START_MS,
    );
    if (this.#url === 'ended') throw new Error(`${this.options.command} ended: ${this.log.slice(-2_000)}`);
  }

  /** What it said after `ready`: of a coordinator the URL that it serves. */
  get url(): string {
    return this.#url;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Its exit code; 137 when it was killed. */
  get exited(): Promise<number> {
    return this.#exited;
  }

  get output(): string {
    return readFileSync(`${this.options.logFile}.out`, 'utf8');
  }

  /** Standard error, of earlier programs with this file too. */
  get log(): string {
    return readFileSync(this.options.logFile, 'utf8');
  }

  signal(name: NodeJS.Signals): void {
    if (!this.hasExited) signal(this.pid, name);
  }

  /** Resolves with the exit code. */
  async end(name: NodeJS.Signals = 'SIGKILL'): Promise<number> {
    this.signal(name);
    return this.#exited;
  }
}
