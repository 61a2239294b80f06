/** Where a test and process tasks meet: `/tmp` is covered in the slots of an agent that is root. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder of the host that every task sees and may write to. Whoever calls removes it. */
export function folderSeenByTasks(prefix: string): string {
  const folder = mkdtempSync(join(process.getuid?.() === 0 ? '/run' : tmpdir(), prefix));
  chmodSync(folder, 0o1777);
  return folder;
}
