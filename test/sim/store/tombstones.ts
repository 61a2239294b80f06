/** What is remembered of content that was purged in the simulated database. */
import type { IngestRow, Tables } from './tables.ts';

/** Where the content arrived it is not to be taken again. */
export function bury(tables: Tables, purgeId: number, ingest: IngestRow): void {
  const { id, workspaceId, filePath, arrival, size, mtimeMs, sourceFileId } = ingest;
  const isKnown = tables.tombstones.where(
    (one) =>
      one.purgeId === purgeId &&
      one.workspaceId === workspaceId &&
      one.filePath === filePath &&
      one.arrival === arrival,
  );
  if (isKnown.length > 0) return;
  const sha256 = tables.files.get(sourceFileId ?? 0)?.sha256 ?? '';
  tables.tombstones.put({
    id: `${purgeId}/${id}`,
    purgeId,
    workspaceId,
    filePath,
    arrival,
    size,
    mtimeMs,
    sha256,
  });
}
