/** A folder that tests and process tasks share. Not in `/tmp`, which tasks of an agent that is root do not see. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder of the host that every task can read and write. The caller removes it. */
export function folderSeenByTasks(prefix: string): string {
  const folder = mkdtempSync(join(process.getuid?.() === 0 ? '/run' : tmpdir(), prefix));
  chmodSync(folder, 0o1777);
  return folder;
}
