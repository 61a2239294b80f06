/** Peers that Debian has: found, or installed where that is ours to do, or else reported as missing. */

import { execFileSync } from 'node:child_process';
import { installPackages } from '../../test/support/run/packages.ts';
import { findProgram } from '../../test/support/services/find-program.ts';
import type { Bench } from './bench.ts';

/**
 * Undefined when all programs are there, else why not. A tiny run installs nothing, and `MILLRACE_TEST_INSTALL=0`
 * prevents it altogether. `find` answers the path of a program, for names that stand for more than one program.
 */
export async function missingPeer(
  bench: Bench,
  programs: readonly string[],
  debianPackage: string,
  find: (program: string) => string | undefined = findProgram,
): Promise<string | undefined> {
  const absent = () => programs.filter((program) => find(program) === undefined);
  if (absent().length > 0 && !bench.isTiny && bench.hasPeers) {
    await installPackages([debianPackage], (line) => process.stderr.write(`${line}\n`));
  }
  const missing = absent();
  return missing.length === 0 ? undefined : `no ${missing.join(', ')} (Debian: ${debianPackage})`;
}

/** The path of GNU parallel. moreutils has a program of the same name, which takes other arguments. */
export function findGnuParallel(program: string): string | undefined {
  const path = findProgram(program);
  if (path === undefined) return undefined;
  try {
    const said = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe', timeout: 10_000 });
    return said.startsWith('GNU parallel') ? path : undefined;
  } catch {
    return undefined; // the other one refuses the option
  }
}
