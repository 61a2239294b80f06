/**
 * Packages that many test files load, each made one module once a run. They are hundreds of modules: to find and load
 * them took half of the processor time in which a file that loads the service starts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../../..');
/** Each as it is imported. All of one package are here, or none: another module of it would be a second copy. */
const PACKAGES = [
  '@bufbuild/protobuf',
  '@bufbuild/protobuf/codegenv2',
  '@bufbuild/protobuf/wire',
  '@bufbuild/protobuf/wkt',
  '@grpc/grpc-js',
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@sinclair/typebox',
  'ajv/dist/2020.js',
  'commander',
  'fast-check',
  'minio',
  'nats',
  'pg',
  'pg-copy-streams',
  'pino',
];
/** It looks for files of its own beside its code. */
const LEFT_OUT = ['@grpc/proto-loader'];
const ENTRY = 'entry';

/** For packages in the older form, before their code: what is left out is found from here. */
export const REQUIRE = [
  `import { createRequire as requireOf } from 'node:module';`,
  `const require = requireOf(${JSON.stringify(import.meta.url)});`,
].join(' ');

/** Writes the modules into `folder`, and into its `packages.json` which URL each package has then. */
export async function bundlePackages(folder: string): Promise<void> {
  const outputs = PACKAGES.map((name) => ({ name, out: name.replaceAll(/\W+/g, '-') }));
  await build({
    entryPoints: outputs.map(({ name, out }) => ({ in: `${ENTRY}:${name}`, out })),
    banner: { js: REQUIRE },
    plugins: [entries, ownUrls],
    ...{ outdir: folder, outExtension: { '.js': '.mjs' }, bundle: true, splitting: true, external: LEFT_OUT },
    ...{ platform: 'node', format: 'esm', target: 'node22', logLevel: 'warning' },
  });
  const urls = outputs.map(({ name, out }) => [name, pathToFileURL(join(folder, `${out}.mjs`)).href]);
  writeFileSync(join(folder, 'packages.json'), JSON.stringify(Object.fromEntries(urls)));
}

/** Each package with the names that an import of it has in Node: a package in the older form names none itself. */
const entries: Plugin = {
  name: 'entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${ENTRY}:`) }, ({ path }) => ({
      path: path.slice(ENTRY.length + 1),
      namespace: ENTRY,
    }));
    onLoad({ filter: /./, namespace: ENTRY }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object).filter((name) => /^[\w$]+$/.test(name));
      return { contents: `export { ${names.join(', ')} } from '${path}';`, resolveDir: ROOT };
    });
  },
};

/** Modules that look for files find them where they themselves are. */
export const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      // tap's own frames are those of its bundle.
      const isOfStacks = path.endsWith('/tap-dir.js');
      return isOfStacks || !text.includes('import.meta.url')
        ? undefined
        : { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    });
  },
};
