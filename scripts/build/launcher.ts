/**
 * The program that starts tasks (node-agent/executor/spawner/launcher.c), compiled where a compiler of C is. An agent
 * without it starts tasks by Perl. Its name says which source it is of, so that an older one is never used.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { LAUNCHER_SOURCE, launcherName } from '../../node-agent/executor/spawner/launcher.ts';

/** Without libraries it forks faster, and runs on other systems; not every compiler has what that needs. */
const WAYS: readonly (readonly string[])[] = [['-static'], []];
const FLAGS = ['-O2', '-s', '-Wall', '-Wextra'];

/** Compiles it into a folder. Undefined without a compiler, else the path of the program. */
export function buildLauncher(folder: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const program = join(folder, launcherName());
  const isBuilt = WAYS.some((way) => {
    const args = [...FLAGS, ...way, '-o', program, LAUNCHER_SOURCE];
    return spawnSync('cc', args, { stdio: 'ignore' }).status === 0;
  });
  return isBuilt ? program : undefined;
}
