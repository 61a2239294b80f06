/** Small file systems for tests, in memory. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether `mount` with these arguments succeeded. */
export const mount = (...args: string[]) => spawnSync('mount', args).status === 0;

/** Options of a test that mounts: skipped unless it runs as root, outside containers that forbid it. */
export function mounting(): { skip?: string } {
  const place = mkdtempSync(join(tmpdir(), 'millrace-mount-'));
  const isMounted = mount('-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', place);
  if (isMounted) spawnSync('umount', [place]);
  rmdirSync(place);
  return isMounted ? {} : { skip: 'a small file system cannot be mounted here' };
}
