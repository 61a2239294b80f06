/**
 * The console as files for browsers: scripts and styles whose names hold a hash of their content, each also compressed,
 * and a manifest that says which of them its page loads. Its packages are development dependencies.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from './bundle.ts';
import { replaceBuilt } from './replace.ts';

const SOURCE = join(ROOT, 'src/console');
const ENTRIES = {
  main: join(SOURCE, 'main.tsx'),
  live: join(SOURCE, 'live/worker.ts'),
  layout: join(SOURCE, 'graph/layout-worker.ts'),
  console: join(SOURCE, 'styles/console.css'),
};
const MANIFEST = 'manifest.json';

/** Why there is no console in an installation with `--omit=dev`. */
const LEFT_OUT =
  'the console is not built: its packages are development dependencies (npm ci, npm run build)\n';

/** Whether the packages that the console is built with are installed. */
function canBuildConsole(): boolean {
  return existsSync(SOURCE) && existsSync(join(ROOT, 'node_modules/react-dom/package.json'));
}

/** Builds the console into a folder, in place of an earlier build. Without its packages there is none afterwards. */
export async function buildConsole(folder: string): Promise<void> {
  if (!canBuildConsole()) {
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(LEFT_OUT); // standard output is that of `npm pack --json`
    return;
  }
  mkdirSync(folder, { recursive: true });
  const fresh = mkdtempSync(`${join(ROOT, 'dist')}.`);
  try {
    await bundleConsole(fresh);
    replaceBuilt(fresh, folder, MANIFEST);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Bundles the console into a folder. */
async function bundleConsole(folder: string): Promise<void> {
  const { metafile } = await build({
    ...{
      entryPoints: ENTRIES,
      entryNames: '[name]-[hash]',
      chunkNames: 'part-[hash]',
      assetNames: '[name]-[hash]',
    },
    ...{ outdir: folder, bundle: true, splitting: true, metafile: true, minify: true, absWorkingDir: ROOT },
    ...{ format: 'esm', platform: 'browser', target: 'es2022', jsx: 'automatic', logLevel: 'warning' },
    ...{ define: { 'process.env.NODE_ENV': '"production"' }, legalComments: 'none', charset: 'utf8' },
  });
  const outputs = Object.entries(metafile.outputs);
  const names = outputs.map(([path]) => basename(path));
  for (const name of names) compress(join(folder, name));
  const outputOf = (entry: string) => {
    const found = outputs.find(([, { entryPoint }]) => join(ROOT, entryPoint ?? '') === entry);
    if (found === undefined) throw new Error(`the console was built without ${entry}`);
    const [path, { imports }] = found;
    return { name: basename(path), imports };
  };
  const main = outputOf(ENTRIES.main);
  const manifest = {
    script: main.name,
    style: outputOf(ENTRIES.console).name,
    live: outputOf(ENTRIES.live).name,
    layout: outputOf(ENTRIES.layout).name,
    parts: main.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
  };
  writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
}

function compress(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
