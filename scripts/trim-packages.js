// The end of an installation: removes from packages what only other platforms, other versions of Node and builds of
// C++ need, 190 of 470 MB. Plain JavaScript, because npm may run it by the Node that the machine has, from 20 on.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the packages of Node's binaries have beside them: headers and manuals. */
const BESIDE_NODE = ['include', 'share', 'CHANGELOG.md'];

/** The folder of the package `node`, which installs the Node that Millrace runs on; undefined without it. */
function findNode() {
  try {
    return dirname(createRequire(import.meta.url).resolve('node/package.json'));
  } catch {
    return undefined;
  }
}

/** The version of the binary interface of the Node that will run the program. */
function findAbi(node) {
  const program = join(node ?? '', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (node === undefined || !existsSync(program)) return process.versions.modules;
  return execFileSync(program, ['-p', 'process.versions.modules'], { encoding: 'utf8' }).trim();
}

function trimNode(node) {
  const parts = join(node, 'node_modules');
  const names = existsSync(parts) ? readdirSync(parts).filter((name) => /^node-.*-/.test(name)) : [];
  for (const name of names.filter((name) => existsSync(join(parts, name, 'bin')))) {
    for (const left of BESIDE_NODE) rmSync(join(parts, name, left), { recursive: true, force: true });
  }
}

/** It has one binary for each platform and version of Node. Where ours is missing, all of them stay. */
function trimServer(abi) {
  const folder = fileURLToPath(new URL('bin/', import.meta.resolve('uWebSockets.js')));
  const names = readdirSync(folder).filter((name) => /^uws_.*\.node$/.test(name));
  const ours = `uws_${process.platform}_${process.arch}_${abi}.node`;
  if (!names.includes(ours)) return;
  for (const name of names.filter((name) => name !== ours)) rmSync(join(folder, name));
}

try {
  const node = findNode();
  trimServer(findAbi(node));
  if (node !== undefined) trimNode(node);
} catch (error) {
  // What is left only takes room.
  process.stderr.write(`millrace: packages keep what this machine does not need: ${error.message}\n`);
}
