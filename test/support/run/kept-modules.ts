/** What test files load, stripped and compiled once a run: a folder, and how Node is started with it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, transformSync } from 'esbuild';
import { COMPILED_PROGRAMS } from './compiled-programs.ts';

/** In the path or text of test files that count work (see WorkCounter). */
const COUNTING = /work-counter|\/guard\//;

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
    await bundleTap(join(modules.#folder, TAP));
    return modules;
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

/** tap is some 350 modules: to find and load them takes half of the processor time of a small file. */
async function bundleTap(outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: `export * from 'tap'; export { default } from 'tap';`,
      resolveDir: import.meta.dirname,
    },
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [OWN_URLS],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm' },
  });
}

/** Modules that require others find them where they themselves are. */
const OWN_URLS: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      // Its own frames are those of the bundle.
      const isOfStacks = path.endsWith('/tap-dir.js');
      return isOfStacks || !text.includes('import.meta.url')
        ? undefined
        : { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    });
  },
};
