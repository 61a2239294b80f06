/** A small image for tests, made from the host's static busybox, without downloads. */
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { BUSYBOX_ENTRYPOINT, BUSYBOX_ENV, busyboxTar } from './busybox-root.ts';

export const BUSYBOX_IMAGE = 'millrace-test-busybox:latest';

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
  const [repo, tag] = BUSYBOX_IMAGE.split(':');
  const changes = [`ENV ${BUSYBOX_ENV[0]}`, `ENTRYPOINT ${JSON.stringify(BUSYBOX_ENTRYPOINT)}`];
  const tar = Readable.from([busyboxTar()]);
  const progress = await engine.importImage(tar as never, { repo, tag, changes } as never);
  await new Promise((resolve, reject) => {
    engine.modem.followProgress(progress as unknown as NodeJS.ReadableStream, (error) =>
      error ? reject(error) : resolve(undefined),
    );
  });
}

export function engineAt(host: string): Docker {
  return new Docker({ socketPath: host.replace('unix://', '') });
}
