#!/usr/bin/env node
// The `millrace` program. Its native parts fit one version of Node, which npm has installed beside it: another
// version that happens to run this file becomes that one. Plain JavaScript for Node 20 and later.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const source = join(root, 'src/cli/main.ts');
const built = join(root, 'dist/src-cli-main.js');
const main = !existsSync(built) || (existsSync(source) && !isCurrent()) ? source : built;
const args = process.argv.slice(2);
// Read when the first file is: copies of large inputs must not hold up the syncs of what is reported.
process.env.UV_THREADPOOL_SIZE ??= '16';

const pinned = findPinned();
if (pinned === undefined || pinned.version === process.versions.node) await import(main);
else await become(pinned.program);

/** Whether what was built is of these sources. Takes 5 ms; starting from sources takes a second. */
function isCurrent() {
  // Node strips types of no file below node_modules: an installed package runs what was built.
  if (here.includes(`${sep}node_modules${sep}`)) return true;
  try {
    const inputs = JSON.parse(readFileSync(join(root, 'dist/inputs.json'), 'utf8'));
    return inputs.every(([path, bytes, changedMs]) => {
      const { size, mtimeMs } = statSync(`${root}${sep}${path}`); // `join` takes as long as the rest
      return size === bytes && mtimeMs === changedMs;
    });
  } catch {
    return false; // one of them is gone
  }
}

function findPinned() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const program = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (!existsSync(program)) return undefined;
    return { program, version: JSON.parse(readFileSync(manifest, 'utf8')).version };
  } catch {
    return undefined; // installed without its dependencies: let this Node try
  }
}

async function become(program) {
  if (typeof process.execve === 'function') {
    process.removeAllListeners('warning');
    process.on('warning', () => {}); // execve says that it is experimental
    process.execve(program, [program, main, ...args], process.env);
  }
  const { spawn } = await import('node:child_process');
  // Listened for before the child exists: a signal in between would end this process and leave the child alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // The channel tells the child when this process is killed outright.
  const child = spawn(program, [main, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  child.on('error', (error) => {
    process.stderr.write(`millrace: ${program}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
