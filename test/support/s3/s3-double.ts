/** A fake object store, which answers like a broken or simple one. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** Resolves with its endpoint. */
export async function s3Double(
  t: Teardown,
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(request, response, Buffer.concat(pieces)));
    request.on('error', () => undefined); // the client has given up, which is allowed
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An object store in memory that ignores conditions, as old servers do. */
export function unconditional(objects: Map<string, { body: Buffer; headers: Record<string, string> }>) {
  return (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const key = decodeURIComponent((request.url ?? '').split('?')[0]?.split('/').slice(2).join('/') ?? '');
    if (key === '') return void response.writeHead(200).end('<ListBucketResult></ListBucketResult>');
    if (request.method === 'PUT') {
      const own = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(key, { body, headers: Object.fromEntries(own) as Record<string, string> });
      return void response.writeHead(200, { etag: '"0"' }).end();
    }
    const found = objects.get(key);
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (found === undefined) return void response.writeHead(404).end();
    const headers = { ...found.headers, etag: '"0"', 'last-modified': new Date(0).toUTCString() };
    response.writeHead(200, { ...headers, 'content-length': found.body.length });
    response.end(request.method === 'HEAD' ? undefined : found.body);
  };
}
