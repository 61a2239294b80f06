/** A nats-server of a test's own, which it may start, stop and kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../../support/services/find-program.ts';
import { until } from './until.ts';

interface Test {
  teardown(call: () => unknown): void;
}

export class NatsServer {
  readonly port: number;
  readonly #t: Test;
  #child: ChildProcess | undefined;

  constructor(t: Test, port: number) {
    this.#t = t;
    this.port = port;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Resolves when it takes connections. */
  async begin(args: readonly string[] = []): Promise<void> {
    const program = findProgram('nats-server');
    if (program === undefined) throw new Error('no nats-server: apt-get install -y nats-server');
    const child = spawn(program, ['-a', '127.0.0.1', '-p', String(this.port), ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#t.teardown(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-10_000);
    });
    await until('nats-server is ready', () => said.includes('Server is ready'));
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
