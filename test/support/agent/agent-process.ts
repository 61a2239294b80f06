/** An agent in a separate process, which tests can kill with -9. It loads modules as the test's process does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AgentConfig } from '../../../node-agent/config.ts';

const PROGRAM = fileURLToPath(new URL('run-agent.ts', import.meta.url));

export class AgentProcess {
  readonly #child: ChildProcess;
  log = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.on('data', (piece: Buffer) => {
      this.log += piece.toString();
    });
  }

  /** `through`: a program with arguments that executes the agent's command. */
  static start(config: AgentConfig, through: readonly string[] = []): AgentProcess {
    const words = [
      ...through,
      process.execPath,
      ...process.execArgv,
      '--no-warnings',
      PROGRAM,
      JSON.stringify(config),
    ];
    const child = spawn(words[0] as string, words.slice(1), {
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    return new AgentProcess(child);
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}
