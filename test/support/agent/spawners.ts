/** The programs that start tasks, built from this source: the launcher, if there is a compiler, and the Perl script. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { PERL_SPAWNER, type SpawnerCommand } from '../../../node-agent/executor/spawner/spawner.ts';
import { buildNativeProgram } from '../../../scripts/build/native-programs.ts';

/** By language, with a prefix. */
export function bothSpawners(t: Test, prefix = ''): Readonly<Record<string, SpawnerCommand>> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-launcher-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const launcher = buildNativeProgram(folder, 'launcher');
  if (launcher === undefined) t.comment('not run: the launcher, because there is no compiler');
  return {
    ...(launcher === undefined ? {} : { [`${prefix}C`]: [launcher] as const }),
    [`${prefix}Perl`]: PERL_SPAWNER,
  };
}
