import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findGnuParallel } from '../../bench/harness/debian.ts';

/** A folder with a program `parallel` that answers so to `--version`. */
function withParallel(t: Test, script: string): string {
  const folder = t.testdir({ parallel: `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, 'parallel'), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${folder}:/bin`;
  t.teardown(() => {
    process.env.PATH = before;
  });
  return join(folder, 'parallel');
}

t.test('bench: GNU parallel is found', async (t) => {
  const path = withParallel(t, 'echo "GNU parallel 20221122"');
  t.equal(findGnuParallel('parallel'), path);
});

t.test('bench: the program parallel of moreutils is not taken for GNU parallel', async (t) => {
  withParallel(t, `echo "parallel: invalid option -- '-'" >&2; exit 1`);
  t.equal(findGnuParallel('parallel'), undefined);
});
