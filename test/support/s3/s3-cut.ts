/**
 * A proxy for an S3 server that can break at any request, before it is forwarded or before its answer is. This has the
 * same effect as killing the client at that point.
 */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

export interface Cut {
  readonly endpoint: string;
  /** Breaks at the `step`th request from now on (1 is the next); 0: never. Clears `requests`. */
  at(step: number, when: 'before' | 'after'): void;
  readonly isCut: boolean;
  /** Method and path of every request since. */
  readonly requests: string[];
}

export async function cutBefore(t: Teardown, target: string): Promise<Cut> {
  const { hostname, port } = new URL(target);
  const state = { step: 0, when: 'before', isCut: false, requests: [] as string[] };
  const server = createServer((request, response) => {
    state.requests.push(`${request.method} ${request.url}`);
    if (state.requests.length === state.step) state.isCut = true;
    const isLost = state.isCut;
    if (isLost && (state.when === 'before' || state.requests.length !== state.step))
      return void request.socket.destroy();
    // The headers are forwarded unchanged, because they are signed.
    const { method, url: path, headers } = request;
    const upstream = send({ hostname, port, method, path, headers }, (answer) => {
      if (isLost) {
        answer.resume().on('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => request.socket.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at: (step, when) => void Object.assign(state, { step, when, isCut: false, requests: [] }),
    get isCut() {
      return state.isCut;
    },
    get requests() {
      return state.requests;
    },
  };
}
