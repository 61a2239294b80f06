/** What test files load, stripped and compiled once a run: a folder, and how Node is started with it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, transformSync } from 'esbuild';
import { COMPILED_PROGRAMS } from './compiled-programs.ts';
import { bundlePackages, ownUrls, REQUIRE } from './kept-packages.ts';

/** Test files that count work: what is compiled already cannot be counted, and WorkCounter refuses to. */
const COUNT_ALL = /\/guard\//;
const COUNTS = /work-counter/;

/** tap leaves what is in such a folder out of the stacks of failures. */
const TAP = 'node_modules/@tapjs/core/dist/esm/tap.mjs';

export interface NodeStart {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export class KeptModules {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-test-modules-'));
  readonly #loader = join(this.#folder, 'loader.mjs');
  readonly #programs = join(this.#folder, 'programs');

  private constructor() {
    // As JavaScript, because the part of Node that strips types takes a while to load.
    const source = readFileSync(join(import.meta.dirname, 'loader.ts'), 'utf8');
    writeFileSync(this.#loader, transformSync(source, { loader: 'ts' }).code);
  }

  static async make(): Promise<KeptModules> {
    const modules = new KeptModules();
    await Promise.all([bundleTap(join(modules.#folder, TAP)), bundlePackages(modules.#folder)]);
    return modules;
  }

  startOf(file: string): NodeStart {
    const counts = COUNT_ALL.test(file) || COUNTS.test(readFileSync(file, 'utf8'));
    return {
      args: ['--disable-warning=ExperimentalWarning', '--import', this.#loader],
      env: { [COMPILED_PROGRAMS]: this.#programs, ...(counts ? { NODE_DISABLE_COMPILE_CACHE: '1' } : {}) },
    };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** tap is some 350 modules: to find and load them takes half of the processor time of a small file. */
async function bundleTap(outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: `export * from 'tap'; export { default } from 'tap';`,
      resolveDir: import.meta.dirname,
    },
    banner: { js: REQUIRE },
    plugins: [ownUrls],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm' },
  });
}
