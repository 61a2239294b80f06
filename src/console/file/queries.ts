/** What the page of a file reads. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { RefusedError, UnreachableError } from '../../client/errors.ts';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { listedFile } from '../files/queries.ts';
import { shows } from '../live/shown.ts';
import { DEFAULT_LINEAGE, type LineageSearch } from './lineage-search.ts';

export type StoredFile = components['schemas']['StoredFileDetails'];
export type Purge = components['schemas']['Purge'];
export type Lineage = components['schemas']['Lineage'];

/** The previewed part of a file, in bytes. */
export const PREVIEW_BYTES = 262_144;

const CONNECTION_TRIES = 4;
const CONNECTION_PAUSE_MS = 500;

/** Null: there is no such file (any more). */
export const fileDetails = (id: number) =>
  queryOptions({
    queryKey: ['file', id],
    queryFn: async ({ signal }) => {
      try {
        return await client.get('/v6/files/{id}/', { path: { id }, signal });
      } catch (error) {
        if (error instanceof RefusedError && error.status === 404) return null;
        throw error;
      }
    },
    ...shows(['file', 'purge'], id),
  });

/** Waits for the file where it is being read again. */
async function isGone(queries: QueryClient, id: number): Promise<boolean> {
  const file = await queries.fetchQuery(fileDetails(id));
  return file === null || file.is_deleted;
}

export const fileLineage = (
  id: number,
  { direction = DEFAULT_LINEAGE.direction, depth = DEFAULT_LINEAGE.depth }: LineageSearch,
) =>
  queryOptions({
    queryKey: ['file', id, 'lineage', direction, depth],
    queryFn: async ({ signal, client: queries, queryKey }) => {
      const before = queries.getQueryData<Lineage>(queryKey);
      // A purged file has no lineage any more: it is asked for again only when the file is known to be there still.
      if (before !== undefined && (await isGone(queries, id))) return before;
      return client.get('/v6/files/{id}/lineage/', {
        path: { id },
        query: { direction, depth: Number(depth) },
        signal,
      });
    },
    ...shows(['file', 'job']),
  });

/** The purge of the file, if there is one. */
export const purgeOfFile = (id: number) =>
  queryOptions({
    queryKey: ['purges', 'of file', id],
    queryFn: async ({ signal }) => {
      const query = { file_id: [id], page_size: 1 };
      const { results } = await client.get('/v6/purges/', { query, signal });
      return results[0] ?? null;
    },
    ...shows(['purge']),
  });

/** How long content that was read ahead is kept for the page that will show it. */
const READ_AHEAD_MS = 10_000;

/**
 * Begins to read what the page shows. The content is read, too, if a list has shown that there is some: else it would
 * have to wait for the details.
 */
export function readFileAhead(queries: QueryClient, id: number, search: LineageSearch): void {
  void queries.prefetchQuery(fileDetails(id));
  void queries.prefetchQuery(fileLineage(id, search));
  const listed = listedFile(queries, id);
  if (listed === undefined || listed.is_deleted) return;
  if (listed.file_type === 'SOURCE') void queries.prefetchQuery(purgeOfFile(id));
  if (listed.file_size === 0) return;
  void queries.prefetchQuery({ ...fileContent(listed, PREVIEW_BYTES), gcTime: READ_AHEAD_MS });
}

/** The first bytes of the content, or all of it where `bytesMax` allows. */
export const fileContent = (
  { id, object_version }: Pick<StoredFile, 'id' | 'object_version'>,
  bytesMax: number,
) =>
  queryOptions({
    // The content of a version never changes; a replaced file has a new version.
    queryKey: ['file', id, 'content', object_version, bytesMax],
    queryFn: ({ signal }) => firstBytes(id, bytesMax, signal),
    // The service has asked several agents before it answers that none can read the file: that is shown at once.
    retry: (failures, error) => error instanceof UnreachableError && failures < CONNECTION_TRIES,
    retryDelay: CONNECTION_PAUSE_MS,
    gcTime: 0,
  });

async function firstBytes(fileId: number, bytesMax: number, signal: AbortSignal): Promise<Uint8Array> {
  const options = { firstBytes: bytesMax, isStreamed: true, retryForMs: 0, signal };
  const { content } = await client.download({ fileId }, options);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of content) {
    pieces.push(piece.slice());
    length += piece.byteLength;
    if (length >= bytesMax) break;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer()).subarray(0, bytesMax);
}
