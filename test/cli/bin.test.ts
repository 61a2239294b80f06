/** bin/millrace.js in a tree of its own, with a pinned "Node" that only says how it was called. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';

const BIN = join(import.meta.dirname, '../../bin/millrace.js');
/** Takes execve away, which older versions of Node don't have. */
const OLD_NODE = ['--import', 'data:text/javascript,delete process.execve'];

function tree(t: Test, pinnedVersion: string, pinned: string): string {
  const root = t.testdir({ bin: {}, src: { cli: {} }, node_modules: { node: { bin: {} } } });
  copyFileSync(BIN, join(root, 'bin/millrace.js'));
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(root, 'src/cli/main.ts'), "process.stdout.write('same node\\n');\n");
  writeFileSync(join(root, 'node_modules/node/package.json'), JSON.stringify({ version: pinnedVersion }));
  const program = join(root, 'node_modules/node/bin/node');
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true });
  writeFileSync(program, pinned);
  chmodSync(program, 0o755);
  return root;
}

function start(
  t: Test,
  root: string,
  nodeArgs: string[],
  args: string[],
): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(process.execPath, [...nodeArgs, join(root, 'bin/millrace.js'), ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

t.test('bin: the pinned Node runs the program itself', async (t) => {
  const child = start(t, tree(t, process.versions.node, '#!/bin/sh\nexit 9\n'), [], []);
  t.equal(await text(child.stdout), 'same node\n');
});

t.test('bin: the bundle runs only while its sources are unchanged or absent', async (t) => {
  const root = tree(t, process.versions.node, '#!/bin/sh\nexit 9\n');
  const source = join(root, 'src/cli/main.ts');
  const run = () => text(start(t, root, [], []).stdout);
  mkdirSync(join(root, 'dist'));
  writeFileSync(join(root, 'dist/src-cli-main.js'), "process.stdout.write('built\\n');\n");
  const { size, mtimeMs } = statSync(source);
  const inputs = [['src/cli/main.ts', size, mtimeMs]];
  writeFileSync(join(root, 'dist/inputs.json'), JSON.stringify(inputs));
  t.equal(await run(), 'built\n');
  writeFileSync(source, "process.stdout.write('changed\\n');\n");
  t.equal(await run(), 'changed\n');
  inputs.push(['src/gone.ts', 1, 1]);
  writeFileSync(join(root, 'dist/inputs.json'), JSON.stringify(inputs));
  t.equal(await run(), 'changed\n');
  rmSync(join(root, 'src'), { recursive: true });
  t.equal(await run(), 'built\n', 'shipped without sources');
});

for (const [name, nodeArgs] of [
  ['replaces itself', []],
  ['starts a child', OLD_NODE],
] as const) {
  t.test(`bin: another Node ${name} with the pinned one, arguments and exit code kept`, async (t) => {
    const root = tree(t, '99.0.0', '#!/bin/sh\necho "$@"\nexit 7\n');
    const child = start(t, root, [...nodeArgs], ['up', '--http', 'a b']);
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);

    t.equal(output, `${join(root, 'src/cli/main.ts')} up --http a b\n`);
    t.equal(code, 7);
  });

  t.test(`bin: another Node ${name} and passes SIGTERM on`, async (t) => {
    const script = '#!/bin/sh\ntrap "echo got it; exit 3" TERM\necho up\nwhile :; do sleep 0.05; done\n';
    const child = start(t, tree(t, '99.0.0', script), [...nodeArgs], []);
    let output = '';
    for await (const chunk of child.stdout) {
      output += chunk;
      if (output === 'up\n') child.kill('SIGTERM');
    }
    t.equal(output, 'up\ngot it\n');
  });
}
