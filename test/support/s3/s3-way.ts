/**
 * A proxy for an S3 server that records requests, and can hold, delay or drop each. The test decides by `fate`; a held
 * request waits until its fate changes, or its client disconnects.
 */
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** `held`: until the fate changes. `lost`: the connection breaks. A number: a delay in ms. */
export type Fate = 'served' | 'held' | 'lost' | number;

export interface S3Request {
  readonly method: string;
  /** The URL of the whole request: `/bucket/key` or `/bucket/`, with its parameters. */
  readonly url: URL;
}

export interface S3Way {
  readonly endpoint: string;
  /** Every request since the last `forget`, in the order of arrival. */
  readonly requests: readonly S3Request[];
  /** Called once for each request, and again for held ones whenever it is set. */
  fate: (request: S3Request) => Fate;
  forget(): void;
}

export async function s3Way(t: Teardown, target: string): Promise<S3Way> {
  const { hostname, port } = new URL(target);
  const requests: S3Request[] = [];
  const held = new Set<() => void>();
  let fate: S3Way['fate'] = () => 'served';
  const server = createServer((request, response) => {
    const { method = '', url = '/', headers } = request;
    const asked: S3Request = { method, url: new URL(url, target) };
    requests.push(asked);
    const pass = (): void => {
      // The headers are forwarded unchanged, because they are signed.
      const upstream = send({ hostname, port, method, path: url, headers }, (answer: IncomingMessage) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      upstream.on('error', () => request.socket.destroy());
      request.pipe(upstream);
    };
    const decide = (): void => {
      const decided = fate(asked);
      held.delete(decide);
      if (decided === 'held') held.add(decide);
      else if (decided === 'lost') request.socket.destroy();
      else if (decided === 'served') pass();
      else setTimeout(pass, decided);
    };
    request.socket.once('close', () => held.delete(decide));
    decide();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get fate() {
      return fate;
    },
    set fate(next) {
      fate = next;
      for (const decide of [...held]) decide();
    },
    forget: () => void requests.splice(0),
  };
}

/** Parameters of the lists of keys among these requests, in their order. */
export function listsAmong(requests: readonly S3Request[]): URLSearchParams[] {
  return requests.filter(isList).map(({ url }) => url.searchParams);
}

export function isList({ method, url }: S3Request): boolean {
  return method === 'GET' && url.searchParams.get('list-type') === '2';
}
