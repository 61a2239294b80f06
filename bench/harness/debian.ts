/** Peers that Debian has: found, or installed where that is ours to do, or else reported as missing. */

import { installPackages } from '../../test/support/run/packages.ts';
import { findProgram } from '../../test/support/services/find-program.ts';
import type { Bench } from './bench.ts';

/**
 * Undefined when all programs are there, else why not. A tiny run installs nothing, and `MILLRACE_TEST_INSTALL=0`
 * prevents it altogether.
 */
export async function missingPeer(
  bench: Bench,
  programs: readonly string[],
  debianPackage: string,
): Promise<string | undefined> {
  const absent = () => programs.filter((program) => findProgram(program) === undefined);
  if (absent().length > 0 && !bench.isTiny && bench.hasPeers) {
    await installPackages([debianPackage], (line) => process.stderr.write(`${line}\n`));
  }
  const missing = absent();
  return missing.length === 0 ? undefined : `no ${missing.join(', ')} (Debian: ${debianPackage})`;
}
