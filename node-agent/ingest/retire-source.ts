/** Removes the source of a finished move, and never a newer file that has taken its name meanwhile. */

import { isSameIdentity } from '../../src/storage/file-facts.ts';
import { temporaryName } from '../../src/storage/file-name.ts';
import type { Folder } from '../../src/storage/folder.ts';

/**
 * Removes `name` if it is still the content of `spentIdentity`, durably. To look first and remove then would
 * lose a file that arrives in between: so the name is taken out of the way first, and given back if it was
 * another's. May be repeated after a crash at any point.
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

/** What the source of an ingest is called between its name and its removal. */
export function spentName(ingestId: number): string {
  return temporaryName(`spent-${ingestId}`);
}

/** Removes what was put aside, or gives it its name back. */
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
  // Taken again already: then what is aside is one that its own sender has replaced.
  await folder.link(aside, folder, name);
  await folder.unlink(aside);
}
