/** Files as people name them: by ids, or by their places in workspaces. */
import type { Client } from '../../client/client.ts';
import type { ContentPlace } from '../../client/content.ts';
import { RefusedError } from '../../client/errors.ts';
import type { Context } from '../frame/context.ts';
import { InvalidError, NotFoundError } from '../frame/exit-codes.ts';
import { findId, idOf } from '../frame/references.ts';

/** `workspace:path`, or an id. */
export function placeOf(text: string): ContentPlace {
  const [, workspace, path] = /^([a-z0-9-]+):(.+)$/s.exec(text) ?? [];
  if (workspace !== undefined && path !== undefined && workspace !== 'id') return { workspace, path };
  return { fileId: idOf('file', text, 'workspace:path, or an id') };
}

/** The id of a recorded file. */
export async function fileIdAt({ signal }: Context, client: Client, text: string): Promise<number> {
  const place = placeOf(text);
  if ('fileId' in place) {
    const id = place.fileId;
    try {
      await client.get('/v6/files/{id}/', { path: { id }, query: { fields: 'id' }, signal });
    } catch (error) {
      // The service's answer does not name the file, and there may be several.
      if (error instanceof RefusedError && error.status === 404)
        throw new NotFoundError(`there is no file ${id}`);
      throw error;
    }
    return id;
  }
  const { file } = await client.get('/v6/files/why/', { query: place, signal });
  if (file === null) throw new NotFoundError(`there is no file at ${place.workspace}:${place.path}`);
  return file.id;
}

/** Throws if the workspace accepts no uploads. (The service would answer as if the caller lacked permission.) */
export async function requireUploads({ signal }: Context, client: Client, workspace: string): Promise<void> {
  const path = { id: await findId(client, 'workspace', workspace) };
  const { configuration, is_active: isActive } = await client.get('/v6/workspaces/{id}/', { path, signal });
  if (!isActive) throw new InvalidError(`workspace ${workspace} is not active`);
  if (configuration.http !== 'write')
    throw new InvalidError(
      `workspace ${workspace} takes no files over HTTP: that needs \`http: write\` in its configuration`,
    );
}
