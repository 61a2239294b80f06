/** The workspaces of the watched directory and of the directory for products: existing ones, or new ones. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { RefusedError } from '../../client/errors.ts';
import { AppError } from '../../domain/errors.ts';
import { makeInto, nameOf, type WatchLine } from './line.ts';

export const MARKER_NAME = '.millrace-workspace';
const TITLE_CHARS_MAX = 50;

export interface WatchedWorkspace {
  readonly id: number;
  readonly name: string;
  readonly isMade: boolean;
}

export interface WatchedWorkspaces {
  readonly directory: WatchedWorkspace;
  readonly into: WatchedWorkspace;
}

/** Also creates the directory for products, but only after the service has accepted the caller. */
export async function workspacesOf(
  client: Client,
  line: WatchLine,
  label: string,
): Promise<WatchedWorkspaces> {
  const labels = { [label]: line.name };
  const directory = await workspaceAt(client, line.directory, labels);
  await makeInto(line);
  return { directory, into: await workspaceAt(client, line.into, labels) };
}

async function workspaceAt(
  client: Client,
  path: string,
  labels: Readonly<Record<string, string>>,
): Promise<WatchedWorkspace> {
  const name = nameOf(basename(path), [path]);
  for await (const kept of client.list('/v6/workspaces/', { query: { name: [name] } })) {
    if (!kept.is_active) {
      await client.patch('/v6/workspaces/{id}/', { path: { id: kept.id }, body: { is_active: true } });
    }
    return { id: kept.id, name, isMade: false };
  }
  const uuid = await markerOf(path);
  if (uuid !== undefined) return workspaceOf(client, path, uuid);
  try {
    const made = await client.post('/v6/workspaces/', {
      body: {
        name,
        title: path.slice(-TITLE_CHARS_MAX),
        labels,
        configuration: { broker: { type: 'host', host_path: path } },
      },
    });
    return { id: made.id, name, isMade: true };
  } catch (error) {
    // Another line over the same directory, typed at the same time, has made it.
    if (!(error instanceof RefusedError) || error.code !== 'NAME_TAKEN') throw error;
    for await (const { id } of client.list('/v6/workspaces/', { query: { name: [name] } }))
      return { id, name, isMade: false };
    throw error;
  }
}

/** The workspace whose marker is in the directory. Throws WORKSPACE_UNAVAILABLE if it is of another service. */
async function workspaceOf(client: Client, path: string, uuid: string): Promise<WatchedWorkspace> {
  for await (const { id, name } of client.list('/v6/workspaces/')) {
    const { configuration } = await client.get('/v6/workspaces/{id}/', { path: { id } });
    if (placeOf(configuration) === path) return { id, name, isMade: false };
  }
  throw new AppError(
    'WORKSPACE_UNAVAILABLE',
    `${path} is a workspace of another Millrace service (${join(path, MARKER_NAME)} says ${uuid}). If that service ` +
      'is gone, remove this file and try again; otherwise name it with --server or MILLRACE_SERVER',
  );
}

function placeOf(configuration: unknown): unknown {
  const broker = (configuration as { broker?: { host_path?: unknown } } | null)?.broker;
  return broker?.host_path;
}

async function markerOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(join(path, MARKER_NAME), 'utf8')).trim().slice(0, 100);
  } catch {
    return undefined;
  }
}
