#!/usr/bin/env node
// The `millrace` program. Its native parts fit one version of Node, which npm has installed beside it: another
// version that happens to run this file becomes that one. Plain JavaScript for Node 20 and later.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, '../src/cli/main.ts');
const built = join(here, '../dist/src/cli/main.js');
// Node strips types of no file below node_modules: an installed package runs what was built.
const isInstalled = here.includes(`${sep}node_modules${sep}`);
const main = existsSync(source) && !(isInstalled && existsSync(built)) ? source : built;
const args = process.argv.slice(2);
// Read when the first file is: copies of large inputs must not hold up the syncs of what is reported.
process.env.UV_THREADPOOL_SIZE ??= '16';

const pinned = findPinned();
if (pinned === undefined || pinned.version === process.versions.node) await import(main);
else become(pinned.program);

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

function become(program) {
  if (typeof process.execve === 'function') {
    process.removeAllListeners('warning');
    process.on('warning', () => {}); // execve says that it is experimental
    process.execve(program, [program, main, ...args], process.env);
  }
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
