/**
 * A wall clock of its own for each program, which can be stepped while the program runs: libfaketime, in front of the C
 * library, adds what a file says. Clocks that only go forward (timers, deadlines) stay as they are.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
);

export class Clocks {
  readonly #folder: string;
  readonly #library = LIBRARIES.find((path) => existsSync(path));
  readonly #stepped = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Why clocks cannot be stepped here; undefined when they can. */
  get missing(): string | undefined {
    return this.#library === undefined ? 'no libfaketime (Debian: faketime)' : undefined;
  }

  /** What a program of this name is started with. */
  environment(name: string): Record<string, string> {
    if (this.#library === undefined) return {};
    if (!existsSync(this.#file(name))) this.#write(name, 0);
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file(name),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DISABLE_SHM: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** The program's wall clock is off by so many seconds from the next second on, and after its restarts. */
  step(name: string, seconds: number): void {
    this.#write(name, seconds);
    this.#stepped.add(name);
  }

  healAll(): void {
    for (const name of this.#stepped) this.#write(name, 0);
    this.#stepped.clear();
  }

  #write(name: string, seconds: number): void {
    writeFileSync(this.#file(name), `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.clock`);
  }
}
