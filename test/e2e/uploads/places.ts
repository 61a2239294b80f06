/** Workspaces that take files over HTTP, and clients that send them. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { type Pair, type PairOptions, startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';

export const LARGE = Buffer.alloc(24 * 1_024 * 1_024, 'millrace ');
export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** A workspace that takes files. Resolves when an agent reaches it. */
export async function writablePlace(client: InterfaceClient, broker: object) {
  const configuration = { broker, http: 'write' };
  const made = await client.post<{ id: number; name: string }>('/v6/workspaces/', {
    title: 'Place',
    configuration,
  });
  await until('the agent reaches it', async () => {
    const { reason } = await client.get<{ reason: string | null }>(`/v6/workspaces/${made.id}/`);
    return reason === null;
  });
  const at = (path: string) => new URL(`/v6/workspaces/${made.name}/files/${path}`, client.base);
  const put = async (path: string, body: RequestInit['body'], init: RequestInit = {}) => {
    const answer = await fetch(at(path), { method: 'PUT', ...(body === undefined ? {} : { body }), ...init });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as any };
  };
  return { at, put, id: made.id, name: made.name };
}

/** A directory of the test's own as a workspace. */
export async function inDirectory(t: Test, env?: PairOptions) {
  const pair = await startPair(t, env);
  const { world, client } = pair;
  const place = join(world.folder, 'place');
  mkdirSync(place);
  mkdirSync(join(world.folder, 'outside'));
  const writable = await writablePlace(client, { type: 'host', host_path: place });
  return { ...pair, ...writable, place, names: () => namesIn(place) };
}

/** All names in a workspace's directory but the marker. */
export function namesIn(place: string): string[] {
  return (readdirSync(place, { recursive: true }) as string[])
    .filter((name) => name !== '.millrace-workspace')
    .sort();
}

/** The folder of an agent that is a program of its own: what it holds for buckets, and its notes. */
export function uploadsOf({ world }: Pick<Pair, 'world'>, agent = 'agent'): string {
  return join(world.folder, agent, 'agent/uploads');
}

/** A PUT whose body is sent by hand. */
export async function begin(at: URL, length: number): Promise<Socket> {
  const socket = connect(Number(at.port), at.hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`PUT ${at.pathname} HTTP/1.1\r\nhost: ${at.host}\r\ncontent-length: ${length}\r\n\r\n`);
  return socket;
}
