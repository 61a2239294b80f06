/** Ingests of a group. What arrivals become is decided by the real store's `decideArrivals`. */
import type { ArrivalRecord, IngestEnd, IngestStatus } from '../../../../src/domain/ingest/ingest.ts';
import { arrivalKey } from '../../../../src/store/file/tombstones.ts';
import { type Arrivals, decideArrivals } from '../../../../src/store/ingest/arrivals.ts';
import { heldKey, heldReason, isLeaving } from '../../../../src/store/ingest/held-in-place.ts';
import type { Group } from '../../../../src/store/sql/group.ts';
import type { IngestRow, Tables, TombstoneRow } from '../tables.ts';
import { violated } from '../violated.ts';

export type { Arrivals } from '../../../../src/store/ingest/arrivals.ts';

export function readArrivals(tables: Tables, group: Group): Arrivals {
  const wanted = new Set<string>();
  for (const { change } of group.placed('recordArrivals')) {
    const { kind, key } = change.owner;
    for (const { filePath } of change.arrivals) wanted.add(`${kind}/${key}/${filePath}`);
  }
  const known = wanted.size === 0 ? [] : tables.ingests.where((row) => wanted.has(placeOf(row)));
  return decideArrivals(
    group,
    known.map((row) => ({
      id: row.id,
      owner_kind: row.owner.kind,
      owner_key: row.owner.key,
      file_path: row.filePath,
      arrival: row.arrival,
      status: row.status,
    })),
    purgedArrivals(
      tables,
      group.items('recordArrivals', (change) => change.arrivals),
    ),
    heldInPlace(tables, group),
  );
}

/** Complete arrivals that a rule would move, and that another strike takes in where they lie. */
function heldInPlace(tables: Tables, group: Group): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  for (const { change } of group.placed('recordArrivals')) {
    if (change.owner.kind !== 'strike') continue;
    for (const arrival of change.arrivals.filter(isLeaving)) {
      const { workspaceId, filePath, identity } = arrival;
      const isHolder = (row: IngestRow) =>
        row.owner.kind === 'strike' &&
        row.owner.key !== change.owner.key &&
        row.workspaceId === workspaceId &&
        row.filePath === filePath &&
        row.arrival === identity &&
        ['TRANSFERRED', 'INGESTING', 'INGESTED'].includes(row.status) &&
        row.newWorkspaceId === null &&
        row.newFilePath === null;
      for (const row of [...tables.ingests.where(isHolder)].sort((a, b) => b.id - a.id)) {
        const reason = heldReason(row.owner.key, row.id);
        held.set(heldKey(change.owner.key, filePath, identity ?? ''), reason);
      }
    }
  }
  return held;
}

/** Complete arrivals that are what was purged at their place. */
function purgedArrivals(tables: Tables, arrivals: readonly ArrivalRecord[]): ReadonlySet<string> {
  const purged = new Set<string>();
  for (const { workspaceId, filePath, identity, size, mtimeMs } of arrivals) {
    const isIt = (one: TombstoneRow) =>
      one.workspaceId === workspaceId &&
      one.filePath === filePath &&
      (one.arrival === identity || (one.size === size && one.mtimeMs === mtimeMs));
    if (identity !== null && tables.tombstones.where(isIt).length > 0)
      purged.add(arrivalKey(workspaceId, filePath, identity));
  }
  return purged;
}

function placeOf({ owner, filePath }: IngestRow): string {
  return `${owner.kind}/${owner.key}/${filePath}`;
}

const OPEN: readonly IngestStatus[] = ['TRANSFERRING', 'DEFERRED', 'ERRORED'];

export function writeArrivals(tables: Tables, arrivals: Arrivals): void {
  for (const id of arrivals.withdrawn) {
    if (tables.ingests.get(id)?.status === 'TRANSFERRING') tables.ingests.delete(id);
  }
  for (const { ingestId, owner, isNew, jobId, startedMs, arrival } of arrivals.written) {
    const { filePath, identity, size, mtimeMs, tags, newWorkspaceId, newFilePath, reason } = arrival;
    const said = {
      arrivedMs: identity === null ? null : arrival.atMs,
      jobId,
      status: startedMs === null ? arrival.status : ('INGESTING' as const),
      arrival: identity,
      size,
      mtimeMs,
      tags,
      newWorkspaceId,
      newFilePath,
      reason,
    };
    if (isNew) {
      const { workspaceId, fileName, mediaType } = arrival;
      const own = { id: ingestId, owner, workspaceId, filePath, fileName, mediaType, sourceFileId: null };
      insert(tables, { ...own, ...said });
      continue;
    }
    const row = tables.ingests.get(ingestId);
    if (row === undefined || !OPEN.includes(row.status)) continue;
    const isTriedAgain = row.arrivedMs !== null && row.arrival === identity;
    tables.ingests.patch(ingestId, {
      ...said,
      arrivedMs: isTriedAgain ? row.arrivedMs : (said.arrivedMs ?? row.arrivedMs),
    });
  }
}

function insert(tables: Tables, row: IngestRow): void {
  const isSame = (one: IngestRow) =>
    placeOf(one) === placeOf(row) &&
    (row.arrival === null ? one.status === 'TRANSFERRING' : one.arrival === row.arrival);
  if (tables.ingests.where(isSame).length > 0) violated('ingest_arrival_key');
  if (!tables.ingests.insert(row)) violated('ingest_pkey');
}

/** Starts, ends and new tries, hard, in their order. */
export function stepIngests(tables: Tables, group: Group): void {
  for (const { change, turn } of group.all) {
    if (change.type === 'startIngests') {
      for (const { ingestId } of change.ingests)
        step(tables, group, turn, ingestId, ['TRANSFERRED', 'ERRORED'], { status: 'INGESTING' });
    } else if (change.type === 'requeueIngests') {
      for (const { ingestId } of change.ingests)
        step(tables, group, turn, ingestId, ['ERRORED'], { status: 'TRANSFERRED' });
    } else if (change.type === 'endIngests') {
      for (const end of change.ingests)
        step(tables, group, turn, end.ingestId, ['TRANSFERRED', 'INGESTING'], ended(tables, end));
    }
  }
  group.throwIfRefused();
}

function ended(tables: Tables, end: IngestEnd): Partial<IngestRow> {
  const row = tables.ingests.get(end.ingestId);
  const { finalPath } = end;
  if (end.sourceFileId !== null && tables.files.get(end.sourceFileId) === undefined)
    violated('ingest_source_file_id_fkey');
  const stays = finalPath === null || (row?.newWorkspaceId === null && finalPath === row.filePath);
  return {
    status: end.status,
    reason: end.reason,
    sourceFileId: end.sourceFileId ?? row?.sourceFileId ?? null,
    ...(stays ? {} : { newFilePath: finalPath }),
  };
}

function step(
  tables: Tables,
  group: Group,
  turn: number,
  ingestId: number,
  from: readonly IngestStatus[],
  fields: Partial<IngestRow>,
): void {
  const row = tables.ingests.get(ingestId);
  if (row !== undefined && from.includes(row.status)) tables.ingests.patch(ingestId, fields);
  else group.refuse(turn, `ingest ${ingestId} is in another status`);
}
