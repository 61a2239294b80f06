/** Files as people name them: by ids, or by their places in workspaces. */
import type { Client } from '../../client/client.ts';
import type { ContentPlace } from '../../client/content.ts';
import type { Context } from '../frame/context.ts';
import { NotFoundError } from '../frame/exit-codes.ts';
import { idOf } from '../frame/references.ts';

/** `workspace:path`, or an id. */
export function placeOf(text: string): ContentPlace {
  const [, workspace, path] = /^([a-z0-9-]*[a-z][a-z0-9-]*):(.+)$/s.exec(text) ?? [];
  if (workspace !== undefined && path !== undefined && workspace !== 'id') return { workspace, path };
  return { fileId: idOf('file', text) };
}

/** The id of a recorded file. */
export async function fileIdAt({ signal }: Context, client: Client, text: string): Promise<number> {
  const place = placeOf(text);
  if ('fileId' in place) return place.fileId;
  const { file } = await client.get('/v6/files/why/', { query: place, signal });
  if (file === null) throw new NotFoundError(`there is no file at ${place.workspace}:${place.path}`);
  return file.id;
}
