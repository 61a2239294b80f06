/**
 * The agent's programs in C (node-agent/executor/native-programs.ts), compiled where a compiler of C is. An agent
 * without one of them uses its fallback. A name says which source it is of, so that an older program is never used.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  fileNameOf,
  NATIVE_PROGRAMS,
  type NativeProgram,
  sourceOf,
} from '../../node-agent/executor/native-programs.ts';

const FLAGS = ['-O2', '-s', '-Wall', '-Wextra'];
/** Without libraries they start faster, and run on other systems; not every compiler has what that needs. */
const ALONE: readonly (readonly string[])[] = [['-static'], []];
const WAYS: Readonly<Record<NativeProgram, readonly (readonly string[])[]>> = {
  launcher: ALONE,
  container: ALONE,
  filter: [['-ldl']], // opens a library
};

/** Compiles it into a folder. Undefined without a compiler, else the path of the program. */
export function buildNativeProgram(folder: string, name: NativeProgram): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const program = join(folder, fileNameOf(name));
  const isBuilt = WAYS[name].some((way) => {
    const args = [...FLAGS, '-o', program, sourceOf(name), ...way];
    return spawnSync('cc', args, { stdio: 'ignore' }).status === 0;
  });
  return isBuilt ? program : undefined;
}

export function buildNativePrograms(folder: string): void {
  for (const name of NATIVE_PROGRAMS) buildNativeProgram(folder, name);
}
