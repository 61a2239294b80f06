/**
 * The runner has each test file's process load this first: it finds and strips the modules of this project faster than
 * Node does. Node strips a module's types again in each process, and looks for the package of each; a file that loads
 * the whole service took half of its start for that. The runner writes this file, as JavaScript, into a folder of the
 * run, where what is stripped and compiled is kept for all files.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KEPT = import.meta.dirname;
/** tap as one module, where `kept-modules.ts` puts it. */
const TAP = import.meta.resolve('./node_modules/@tapjs/core/dist/esm/tap.mjs');
/** The other packages that are one module each: their URLs, by how they are imported. */
const PACKAGES = new Map(
  Object.entries(JSON.parse(readFileSync(join(KEPT, 'packages.json'), 'utf8')) as Record<string, string>),
);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'tap') return { url: TAP, format: 'module', shortCircuit: true };
    const kept = PACKAGES.get(specifier);
    // What requires a package gets its older form.
    if (kept !== undefined && context.conditions.includes('import'))
      return { url: kept, format: 'module', shortCircuit: true };
    const { parentURL } = context;
    // Nothing of ours is linked, and all of it is modules: there is nothing to search.
    return isOurs(parentURL) && specifier.startsWith('.') && specifier.endsWith('.ts')
      ? { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
      : next(specifier, context);
  },
  load(url, context, next) {
    return isOurs(url)
      ? { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true }
      : next(url, context);
  },
});
enableCompileCache(join(KEPT, 'compiled'));

function isOurs(url: string | undefined): boolean {
  return url?.startsWith('file:') === true && url.endsWith('.ts') && !url.includes('/node_modules/');
}

/** The code of a source. The first process that needs it keeps it for the others. */
function stripped(path: string): string | Buffer {
  const file = join(KEPT, 'stripped', path);
  try {
    return readFileSync(file);
  } catch {
    const code = stripTypeScriptTypes(readFileSync(path, 'utf8'));
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
    return code;
  }
}
