/** Removes the source of a finished move, and never a newer file that has taken its name meanwhile. */

import { isSameIdentity } from '../../src/storage/file-facts.ts';
import { temporaryName } from '../../src/storage/file-name.ts';
import type { Folder } from '../../src/storage/folder.ts';

/**
 * Durably removes `name` if it still has the content of `spentIdentity`. Checking first and removing then would lose a
 * file that arrives in between. So the file is first renamed, and renamed back if it is another one. May be repeated
 * after a crash at any point.
 */
export async function retireSource(
  folder: Folder,
  name: string,
  spentIdentity: string,
  ingestId: number,
): Promise<void> {
  const aside = spentName(ingestId);
  await settleAside(folder, name, aside, spentIdentity);
  const facts = await folder.facts(name);
  if (facts === undefined || !isSameIdentity(facts.identity, spentIdentity)) return;
  await folder.renameToOwn(name, aside);
  await settleAside(folder, name, aside, spentIdentity);
  await folder.sync();
}

/** The name of an ingest's source between its original name and its removal. */
export function spentName(ingestId: number): string {
  return temporaryName(`spent-${ingestId}`);
}

/** Removes the renamed file, or restores its name. */
async function settleAside(
  folder: Folder,
  name: string,
  aside: string,
  spentIdentity: string,
): Promise<void> {
  const facts = await folder.facts(aside);
  if (facts === undefined) return;
  if (isSameIdentity(facts.identity, spentIdentity)) {
    await folder.unlink(aside);
    return;
  }
  // The name is in use again: the renamed file was replaced by its own sender.
  await folder.link(aside, folder, name);
  await folder.unlink(aside);
}
