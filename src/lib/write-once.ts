/** Files that are made once and never changed: whole or not there, whoever is killed, however many try at once. */
import { access, link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes the file, for its owner alone, unless it exists; its folder too. Synced when it resolves. One that exists takes
 * no room on the disk: a start with a full one gets by.
 */
export async function writeOnce(path: string, content: string | Uint8Array): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await unlink(draft);
  }
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
