/**
 * Files that are written once and never changed: complete or absent, even when writers are killed or several write at
 * once.
 */
import { access, link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes the file, readable by its owner only, unless it exists; makes its folder if needed. Synced when it resolves.
 * An existing file takes no room on the disk, so a start with a full disk succeeds.
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
