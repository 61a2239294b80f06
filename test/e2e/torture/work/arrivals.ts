/** Files that arrive: in the watched directory, in the watched bucket, and on a shelf that is scanned when asked. */
import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type DemoFile, deliver } from '../../../../src/cli/demo/demo-files.ts';
import { COMPRESSED_ABOVE_BYTES } from '../../../../src/cli/demo/demo-types.ts';
import { s3Event } from '../../../support/s3/s3-events.ts';
import type { Caller } from '../caller.ts';
import type { Installation } from '../installation.ts';
import type { ExpectedSource, Ledger } from '../ledger.ts';
import type { WorkTypes } from './work-types.ts';

const PLACES: Readonly<Record<string, string>> = { '.json': 'json', '.md': 'text' };

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** As careful senders do. */
export async function deliverDemo(all: Installation, ledger: Ledger, file: DemoFile): Promise<void> {
  const { name, size, sha256: hash } = file;
  const checksum = sha256(`${hash}  ${name}\n`);
  const isLarge = size > COMPRESSED_ABOVE_BYTES;
  const place = 'demo-archive';
  const content = { place, sha256: hash, parent: name, isZipped: isLarge } as const;
  ledger.sources.push({
    ...{ name, place, sha256: hash, bytes: size, by: 'strike', recipeType: 'demo-recipe' },
    path: `${PLACES[extname(name)] ?? 'images'}/${name}`,
    products: [
      { name: `${name}.sha256`, place, sha256: checksum, parent: name },
      { name: `${name}.${isLarge ? 'gz' : 'kept'}`, ...content },
    ],
  });
  await deliver(file, all.world.at.arrivals);
}

/** Told of twice, once, or not at all: `index` decides. */
export async function upload(
  all: Installation,
  ledger: Ledger,
  { queue }: WorkTypes,
  index: number,
): Promise<void> {
  const { client, name: bucket } = all.store.bucket;
  const [name, lines] = [`up-${index}.txt`, [...Array(50 + (index % 7) * 100).keys()]];
  const key = `in/${index % 5}/${name}`;
  const text = lines.map((line) => `${index} ${line}\n`);
  const content = text.join('');
  const reversed = sha256(text.reverse().join(''));
  ledger.sources.push({
    ...{ name, place: 'bucket', path: key, sha256: sha256(content), bytes: content.length },
    ...{ by: 'bucket strike', recipeType: 'reverse' },
    products: [{ name: `${name}.rev`, place: 'bucket', sha256: reversed, parent: name }],
  });
  const { etag } = await client.putObject(bucket, key, content);
  const told = s3Event({ bucket, key, size: content.length, etag });
  for (let time = 0; time < index % 3; time += 1) await all.nats.publish(queue, told);
}

export function shelve(all: Installation, ledger: Ledger, index: number): void {
  const [name, content] = [`book-${index}.txt`, `book ${index}\n`.repeat(1 + (index % 50))];
  const source: ExpectedSource = {
    ...{ name, place: 'shelf', path: name, sha256: sha256(content), bytes: content.length },
    ...{ by: 'scan', recipeType: 'shout' },
    products: [
      {
        ...{ name: `${name}.loud`, place: 'demo-archive', parent: name },
        sha256: sha256(content.toUpperCase()),
      },
    ],
  };
  writeFileSync(join(all.shelf, `${name}_tmp`), content);
  ledger.sources.push(source);
  ledger.isShelfScanned = false;
  renameSync(join(all.shelf, `${name}_tmp`), join(all.shelf, name));
}

interface Scan {
  readonly job: { readonly status: string };
}

export async function isScanning(caller: Caller, { scanId }: WorkTypes): Promise<boolean> {
  const { job } = await caller.get<Scan>(`/v6/scans/${scanId}/`);
  return ['QUEUED', 'RUNNING'].includes(job.status);
}

/** Asks the scan to take in what is new. False while it is at it already: then somebody has to ask again. */
export async function scan(caller: Caller, ledger: Ledger, types: WorkTypes): Promise<boolean> {
  if (await isScanning(caller, types)) return false;
  ledger.isShelfScanned = true;
  try {
    await caller.call('a scan', (client) =>
      client.post(`/v6/scans/${types.scanId}/process/`, { ingest: true }),
    );
  } catch (error) {
    // It has begun since: what was shelved meanwhile may be behind it.
    ledger.isShelfScanned = false;
    if (!(error instanceof Error && / 409 /.test(error.message))) throw error;
  }
  return ledger.isShelfScanned;
}
