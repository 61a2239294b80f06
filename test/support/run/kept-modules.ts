/** What test files load, stripped and compiled once a run: a folder, and how Node is started with it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { COMPILED_PROGRAMS } from './compiled-programs.ts';

/** In the path or text of test files that count work (see WorkCounter). */
const COUNTING = /work-counter|\/guard\//;

export interface NodeStart {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export class KeptModules {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-test-modules-'));
  readonly #loader = join(this.#folder, 'loader.mjs');
  readonly #programs = join(this.#folder, 'programs');

  constructor() {
    // As JavaScript, because the part of Node that strips types takes a while to load.
    const source = readFileSync(join(import.meta.dirname, 'loader.ts'), 'utf8');
    writeFileSync(this.#loader, transformSync(source, { loader: 'ts' }).code);
  }

  startOf(file: string): NodeStart {
    const counts = COUNTING.test(`${file}\n${readFileSync(file, 'utf8')}`);
    return {
      args: ['--disable-warning=ExperimentalWarning', '--import', this.#loader],
      env: { [COMPILED_PROGRAMS]: this.#programs, ...(counts ? { NODE_DISABLE_COMPILE_CACHE: '1' } : {}) },
    };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
