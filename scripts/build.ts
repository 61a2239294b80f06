/**
 * `npm run build`, and the end of `npm ci`: the programs with their packages, bundled into a few files of JavaScript in
 * dist/, and the agent’s programs in C. bin/millrace.js runs them for as long as no source has changed since. The
 * console is built into dist/console/, if its packages are installed, which they are not with `--omit=dev`.
 *
 * Tried for speed (Node 22.23, 2026-11): a coordinator was ready after 400 ms with 100 MiB so, after 1,530 ms with
 * 160 MiB from its 1,200 files. What V8 compiled, kept in files (`enableCompileCache`), took another 50 ms off and
 * added 1.5 MiB; a command took 10 to 18 of 190 ms less. Whitespace taken out saved 4 MiB and left stack traces that
 * nobody can read. Neither was worth it.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, ROOT } from './build/bundle.ts';
import { buildConsole } from './build/console.ts';
import { buildNativePrograms } from './build/native-programs.ts';
import { replaceBuilt } from './build/replace.ts';

const PROGRAM = join(ROOT, 'src/cli/main.ts');
const DIST = join(ROOT, 'dist');
const CONSOLE = 'console';
/** Sizes and times of what was read: by these bin/millrace.js knows whether the build is of the sources. */
const INPUTS = 'inputs.json';
const PACKAGES = ['package.json', 'package-lock.json'];

function inputOf(path: string): readonly [path: string, bytes: number, changedMs: number] {
  const { size, mtimeMs } = statSync(join(ROOT, path));
  return [path, size, mtimeMs];
}

const fresh = mkdtempSync(`${DIST}.`);
try {
  const begunMs = Date.now();
  buildNativePrograms(fresh);
  const inputs = [...(await bundle([PROGRAM], fresh)), ...PACKAGES].map(inputOf);
  // What changed while it was read may have been read before.
  const isWhole = inputs.every(([, , changedMs]) => changedMs < begunMs);
  writeFileSync(
    join(fresh, INPUTS),
    JSON.stringify(isWhole ? inputs : [['changed while it was read', 0, 0]]),
  );
  // Whoever starts meanwhile runs from the sources, for what was built is not said to be of them.
  rmSync(join(DIST, INPUTS), { force: true });
  replaceBuilt(fresh, DIST, INPUTS, [CONSOLE]);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
await buildConsole(join(DIST, CONSOLE));
