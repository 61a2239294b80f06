/** A small image for tests, made from the host's static busybox: nothing is fetched. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Docker from 'dockerode';

export const BUSYBOX_IMAGE = 'millrace-test-busybox:latest';
const COMMANDS = [
  'sh',
  'sleep',
  'cat',
  'echo',
  'env',
  'id',
  'ls',
  'touch',
  'mkdir',
  'grep',
  'head',
  'tr',
  'dd',
  'true',
  'false',
  'ip',
  'printf',
];

/** Makes the image in the engine, once. */
export async function ensureBusyboxImage(engine: Docker): Promise<void> {
  const isThere = await engine
    .getImage(BUSYBOX_IMAGE)
    .inspect()
    .then(
      () => true,
      () => false,
    );
  if (isThere) return;
  const root = mkdtempSync(join(tmpdir(), 'millrace-busybox-'));
  try {
    chmodSync(root, 0o755); // what the container's user sees as `/`
    for (const folder of ['bin', 'etc', 'tmp']) mkdirSync(join(root, folder));
    copyFileSync('/usr/bin/busybox', join(root, 'bin/busybox'));
    for (const command of COMMANDS) symlinkSync('busybox', join(root, 'bin', command));
    writeFileSync(join(root, 'etc/passwd'), 'nobody:x:65534:65534::/:/bin/sh\n');
    const tar = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 64 * 1024 * 1024 });
    const [repo, tag] = BUSYBOX_IMAGE.split(':');
    const changes = ['ENV PATH=/bin', 'ENTRYPOINT ["/bin/sh", "-c"]'];
    const progress = await engine.importImage(Readable.from([tar]) as never, { repo, tag, changes } as never);
    await new Promise((resolve, reject) => {
      engine.modem.followProgress(progress as unknown as NodeJS.ReadableStream, (error) =>
        error ? reject(error) : resolve(undefined),
      );
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function engineAt(host: string): Docker {
  return new Docker({ socketPath: host.replace('unix://', '') });
}
