/**
 * Finds the launcher, which is compiled at installation if there is a compiler (launcher.c, scripts/build/launcher.ts).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const LAUNCHER_SOURCE = fileURLToPath(new URL('./launcher.c', import.meta.url));

/** The name of the program that is compiled from this very source, for this processor. */
export function launcherName(): string {
  const digest = createHash('sha256').update(readFileSync(LAUNCHER_SOURCE)).digest('hex').slice(0, 12);
  return `launcher-${process.arch}-${digest}`;
}

/** The path of the program; undefined if there is none: it was installed without a compiler. */
export function findLauncher(): string | undefined {
  const folder = dirname(LAUNCHER_SOURCE);
  // In a build, the source is in the same folder, under a longer name.
  const isBuilt = basename(LAUNCHER_SOURCE) !== 'launcher.c';
  const program = join(isBuilt ? folder : join(folder, '../../../dist'), launcherName());
  return existsSync(program) ? program : undefined;
}
