/** Directories that a watch needs: that of its products, and that of its service's data. */
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The real path of the directory; undefined where there is none. */
export async function directoryAt(path: string): Promise<string | undefined> {
  try {
    const facts = await stat(path);
    return facts.isDirectory() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates one directory after another: `recursive` of mkdir never returns where a file system refuses names, as /proc.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || (await directoryAt(parent)) !== undefined) throw error;
    await makeDirectory(parent, mode);
    await mkdir(path, mode);
  }
}
