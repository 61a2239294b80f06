/** A pseudo terminal with a screen: what a person would see, and keys as a person would press them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import type { Test } from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export class TerminalSession {
  /** The exit code, once the screen shows all of the output. */
  readonly exited: Promise<number>;
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  #raw = '';

  constructor(t: Test, program: string, args: readonly string[], options: TerminalOptions) {
    const size = { cols: options.columns ?? 80, rows: options.rows ?? 24 };
    this.#screen = new xterm.Terminal({ ...size, allowProposedApi: true });
    const { PATH = '' } = process.env;
    const own = { PATH, HOME: options.cwd, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
    const env = { ...own, ...compiledPrograms(), ...options.env };
    this.#pty = spawn(program, [...args], { ...size, cwd: options.cwd, env });
    this.#pty.onData((data) => {
      this.#raw += data;
      this.#screen.write(data);
    });
    this.exited = new Promise((resolve) => {
      // The screen reads what is written a moment later: what came before the end is on it then.
      this.#pty.onExit(({ exitCode }) => this.#screen.write('', () => resolve(exitCode)));
    });
    let isOver = false;
    void this.exited.then(() => {
      isOver = true;
    });
    t.teardown(() => {
      if (!isOver) this.#pty.kill('SIGKILL');
      this.#screen.dispose();
    });
  }

  /** Everything that was written, with its control sequences. */
  get raw(): string {
    return this.#raw;
  }

  /** The rows that are visible. */
  lines(): string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_row, index) =>
      (active.getLine(active.viewportY + index)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  text(): string {
    return this.lines().join('\n');
  }

  /** Whether a program has the whole screen. */
  get isFullScreen(): boolean {
    return this.#screen.buffer.active.type === 'alternate';
  }

  async shows(what: RegExp): Promise<void> {
    try {
      await until(`the screen shows ${what}`, async () => what.test(this.text()));
    } catch (error) {
      throw new Error(`${(error as Error).message}; it shows:\n${this.text()}`, { cause: error });
    }
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }
}

/** `millrace` with these arguments. */
export function typed(t: Test, args: readonly string[], options: TerminalOptions): TerminalSession {
  return new TerminalSession(t, process.execPath, [BIN, ...args], options);
}

/** A folder with a program `millrace`, for shells. */
export function installed(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`;
  writeFileSync(join(bin, 'millrace'), script, { mode: 0o755 });
  return bin;
}
