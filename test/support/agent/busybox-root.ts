/** The files of the small image of the tests, made from the host's static busybox, without downloads. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const BUSYBOX_ENV = ['PATH=/bin'];
export const BUSYBOX_ENTRYPOINT = ['/bin/sh', '-c'];
const COMMANDS =
  'sh sleep cat echo env id ls touch mkdir grep head tr dd true false ip printf kill ps wc mount unshare'.split(
    ' ',
  );

/** An uncompressed tar archive. `alter` changes the files, for an image that means harm. */
export function busyboxTar(alter?: (root: string) => void): Buffer {
  const root = mkdtempSync(join(tmpdir(), 'millrace-busybox-'));
  try {
    chmodSync(root, 0o755); // the mode of `/` in the container
    for (const folder of ['bin', 'etc', 'tmp']) mkdirSync(join(root, folder));
    chmodSync(join(root, 'tmp'), 0o1777);
    copyFileSync('/usr/bin/busybox', join(root, 'bin/busybox'));
    for (const command of COMMANDS) symlinkSync('busybox', join(root, 'bin', command));
    writeFileSync(join(root, 'etc/passwd'), 'nobody:x:65534:65534::/:/bin/sh\n');
    alter?.(root);
    const owned = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--sort=name'];
    return execFileSync('tar', ['-C', root, ...owned, '-c', '.'], { maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
