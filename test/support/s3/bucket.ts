/** A separate bucket for each test, on the run's S3 server; emptied and removed when the test ends. */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { Client } from 'minio';
import { serviceUrl } from '../services/services.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

export interface TestBucket {
  readonly name: string;
  /** `http://host:port`. */
  readonly endpoint: string;
  readonly credentials: { readonly access_key_id: string; readonly secret_access_key: string };
  /** A client of another library, for changes of the bucket from outside. */
  readonly client: Client;
}

export async function testBucket(t: Teardown): Promise<TestBucket> {
  const url = new URL(await serviceUrl('s3'));
  const name = `t-${process.pid}-${randomBytes(6).toString('hex')}`;
  const [accessKey, secretKey] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  const client = new Client({
    endPoint: url.hostname,
    port: Number(url.port),
    useSSL: url.protocol === 'https:',
    accessKey,
    secretKey,
    region: 'us-east-1',
    pathStyle: true,
    // A connection for each request, because a request fails on an idle connection that the server is just closing.
    transportAgent: new Agent({ keepAlive: false }),
  });
  await client.makeBucket(name);
  t.teardown(() => remove(client, name));
  return {
    name,
    endpoint: `${url.protocol}//${url.host}`,
    credentials: { access_key_id: accessKey, secret_access_key: secretKey },
    client,
  };
}

/** The keys in a bucket, hidden ones included. */
export async function keysOf(client: Client, bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { name } of client.listObjectsV2(bucket, '', true) as AsyncIterable<{ name?: string }>) {
    if (name !== undefined) keys.push(name);
  }
  return keys.sort();
}

async function remove(client: Client, bucket: string): Promise<void> {
  const unfinished = client.listIncompleteUploads(bucket, '', true) as AsyncIterable<{
    key: string;
    uploadId: string;
  }>;
  for await (const { key, uploadId } of unfinished) await client.abortMultipartUpload(bucket, key, uploadId);
  await client.removeObjects(bucket, await keysOf(client, bucket));
  await client.removeBucket(bucket);
}
