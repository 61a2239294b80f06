/**
 * `npm run build`: JavaScript of src/ and node-agent/ in dist/, for a package that is installed (Node strips
 * no types below node_modules). The compiler rewrites import paths; addresses of worker and process entries,
 * and files that are not code, are this script's part.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FRESH = join(ROOT, 'dist.new');
const ENTRY = /(new URL\(\s*(['"])\.[^'"\n]+)\.ts(\2,\s*import\.meta\.url\s*\))/g;

function main(): void {
  rmSync(FRESH, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const done = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', FRESH], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (done.status !== 0) {
    rmSync(FRESH, { recursive: true, force: true });
    process.exitCode = 1;
    return;
  }
  for (const path of globSync('**/*.js', { cwd: FRESH })) {
    const text = readFileSync(join(FRESH, path), 'utf8');
    const rewritten = text.replace(ENTRY, '$1.js$3');
    if (rewritten !== text) writeFileSync(join(FRESH, path), rewritten);
  }
  for (const path of globSync('{src,node-agent}/**/*', { cwd: ROOT })) {
    if (/\.ts$/.test(path) || statSync(join(ROOT, path)).isDirectory()) continue;
    cpSync(join(ROOT, path), join(FRESH, path));
  }
  // The old build stays in place until the new one is whole.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  renameSync(FRESH, join(ROOT, 'dist'));
}

main();
