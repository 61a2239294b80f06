/** An installation with arrivals on a host and an archive in a bucket: what goes there, and what comes back. */
import { createHash, randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredFile } from '../../../src/cli/demo/demo-check.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import type { TestBucket } from '../../support/s3/bucket.ts';
import { listed } from './quiet.ts';
import { until } from './until.ts';
import { createJobType } from './work/job-types.ts';
import type { World } from './world.ts';

export interface IngestRecord {
  readonly id: number;
  readonly file_name: string;
  readonly status: string;
  readonly bytes_transferred: number;
  readonly source_file: { readonly id: number; readonly file_path: string } | null;
}

/** Reverses its input: a product that is none of what was there. */
const SCRIPT = 'set -e; tac "$1" >"$2/reversed.txt"';

/** A strike that sends `*.txt` to the bucket, and a recipe whose one job reads there and stores there. */
export async function createBucketWork(
  world: World,
  client: InterfaceClient,
  bucket: TestBucket,
): Promise<void> {
  const workspace = (title: string, broker: object) =>
    client.post<{ id: number; name: string }>('/v6/workspaces/', { title, configuration: { broker } });
  const arrivals = await workspace('Arrivals', { type: 'host', host_path: world.at.arrivals });
  const archive = await workspace('Archive', {
    type: 'objstore',
    bucket_name: bucket.name,
    endpoint: bucket.endpoint,
    credentials: bucket.credentials,
  });
  await createJobType(client, {
    name: 'reverse',
    // Two words more than the harness gives: the command is expanded by the agent.
    script: SCRIPT.replace('"$1"', '$INPUT').replace('"$2', '"$OUTPUT_DIR'),
    inputs: [{ name: 'INPUT' }],
    outputs: [{ name: 'REVERSED', pattern: '*.txt', required: true }],
    workspace: archive.name,
  });
  const recipeType = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Reverse',
    definition: {
      input: { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] },
      nodes: {
        reverse: {
          dependencies: [],
          input: { INPUT: { type: 'recipe', input: 'FILE' } },
          node_type: {
            node_type: 'job',
            job_type_name: 'reverse',
            job_type_version: '1.0.0',
            job_type_revision: 1,
          },
        },
      },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'To the bucket',
    configuration: {
      workspace: arrivals.name,
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [
        {
          filename_regex: '.*\\.txt$',
          data_types: ['text'],
          new_workspace: archive.name,
          new_file_path: 'in',
        },
      ],
      recipe: { name: recipeType.name },
    },
  });
}

/** As careful senders do. Resolves with the hash of what was written. */
export function drop(world: World, name: string, content: Buffer | string): string {
  writeFileSync(join(world.at.arrivals, `${name}_tmp`), content);
  renameSync(join(world.at.arrivals, `${name}_tmp`), join(world.at.arrivals, name));
  return sha256(content);
}

/** Lines of hexadecimal digits, `bytes` in all. */
export function linesOf(bytes: number): Buffer {
  const text = randomBytes(Math.ceil(bytes / 2)).toString('hex');
  return Buffer.from(text.slice(0, bytes).replace(/(.{63})./g, '$1\n'));
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function ingestOf(client: InterfaceClient, name: string, status: string): Promise<IngestRecord> {
  return until(`${name} is ${status}`, async () => {
    const ingests = await listed<IngestRecord>(client, `/v6/ingests/?file_name=${name}`);
    return ingests.find((one) => one.status === status);
  });
}

/** The content as clients get it, redirects followed. */
export async function download(client: InterfaceClient, { id }: Pick<StoredFile, 'id'>): Promise<Buffer> {
  const response = await fetch(new URL(`/v6/files/${id}/content/`, client.base));
  if (!response.ok) throw new Error(`content of ${id}: ${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}
