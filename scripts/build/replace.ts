/** What was built, put in the place of what was built before. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Parts of earlier builds stay so long: a program that runs may load them yet. */
const KEEP_MS = 86_400_000;

/** Moves what was built into its folder, the file that names the rest (`list`) last. `kept` is not part of it. */
export function replaceBuilt(
  fresh: string,
  folder: string,
  list: string,
  kept: readonly string[] = [],
): void {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(fresh);
  for (const name of names.filter((name) => name !== list)) renameSync(join(fresh, name), join(folder, name));
  renameSync(join(fresh, list), join(folder, list));
  const before = Date.now() - KEEP_MS;
  for (const name of readdirSync(folder)) {
    const isNew = names.includes(name) || kept.includes(name);
    const isOld = !isNew && statSync(join(folder, name)).mtimeMs < before;
    if (isOld) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
