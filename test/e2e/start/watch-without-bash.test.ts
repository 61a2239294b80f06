/** `millrace watch` on a host that has no bash. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { createPlace, Typed } from './watch-typed.ts';

/** In a mount namespace of its own: the host's programs without bash. `exec` keeps the process that gets signals. */
const WITHOUT_BASH = [
  'mount -t tmpfs tmpfs "$0" && mkdir "$0/upper" "$0/work"',
  'mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$0/upper,workdir=$0/work" /usr/bin',
  'rm -f /usr/bin/bash && ! command -v bash >/dev/null && exec "$@"',
].join(' && ');

const within = (folder: string): string[] => ['unshare', '-m', 'sh', '-c', WITHOUT_BASH, folder];

/** Options of the test: skipped unless it runs as root, outside containers that forbid mounts. */
function hiding(): { skip?: string } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-hidden-'));
  const [program = '', ...args] = within(folder);
  const isHidden = spawnSync(program, [...args, 'true']).status === 0;
  rmdirSync(folder);
  return isHidden ? {} : { skip: 'programs cannot be hidden here' };
}

t.test('watch: without bash a script runs in sh, with a warning about pipes', hiding(), async (t) => {
  const { world, cwd, env } = await createPlace(t);
  const folder = join(world.folder, 'mounted');
  mkdirSync(folder);
  await writeFile(join(cwd, 'in/notes.txt'), 'b\na\n');
  await writeFile(join(cwd, 'in/bad.txt'), '');
  const script = '[ "$stem" != bad ] || false; sort "$in" | gzip >"$out/$name.gz"';
  const line = ['in', '--run', script, '--into', 'out'];
  const typed = new Typed(cwd, line, env, within(folder));
  await typed.shows(/^note: this host has no bash: in sh, a pipe fails only if its last command does$/m);
  await typed.shows(/^done {2}notes\.txt -> notes\.txt\.gz/m);
  await typed.shows(/^failed {2}bad\.txt: .*exit code 1$/m);
  t.equal(await typed.interrupt(), 0, typed.errors);
  t.equal(gunzipSync(await readFile(join(cwd, 'out/notes.txt.gz'))).toString(), 'a\nb\n');

  const wrong = new Typed(cwd, ['in', '--run', 'cat "$in', '--into', 'out'], env, within(folder));
  t.equal(await wrong.exited, 2);
  t.match(wrong.errors, /--run: is no script that sh can read/);
});
