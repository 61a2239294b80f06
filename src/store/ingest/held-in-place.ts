/**
 * Files that a strike ingests in place. Another strike whose rule would move such a file away defers it, because the
 * first strike's record would refer to a missing file.
 */
import type { ArrivalRecord } from '../../domain/ingest/ingest.ts';
import type { Group } from '../sql/group.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

/** Reasons why arrivals stay in place, by `heldKey`. */
export type HeldInPlace = ReadonlyMap<string, string>;

interface Leaving {
  readonly strikeId: number;
  readonly arrival: ArrivalRecord;
}

const PLACES = new RowSet<Leaving>([
  ['strike_id', 'id', (row) => row.strikeId],
  ['workspace_id', 'id', ({ arrival }) => arrival.workspaceId],
  ['file_path', 'text', ({ arrival }) => arrival.filePath],
  ['arrival', 'text', ({ arrival }) => arrival.identity],
]);

/** Strikes are few. A strike that is ingesting the file counts like one that has recorded it. */
const HELD = {
  name: 'ingests_held_in_place',
  isRead: true,
  text: /* sql */ `
    select d.strike_id as "strikeId", d.file_path as "filePath", d.arrival as identity, s.id as by,
      i.id as "ingestId"
    from ${PLACES.table('d')} join strike s on s.workspace_id = d.workspace_id and s.id <> d.strike_id
      cross join lateral (
        select i.id, i.status, i.new_workspace_id, i.new_file_path from ingest i
        where i.strike_id = s.id and i.file_path = d.file_path and i.arrival = d.arrival
          and i.arrival is not null   -- = ingest_arrival_key
        offset 0) as i
    where i.status in ('TRANSFERRED', 'INGESTING', 'INGESTED')
      and i.new_workspace_id is null and i.new_file_path is null
    order by i.id desc`,
};

/** Whether its rule moves the file. */
export function isLeaving({ status, identity, newWorkspaceId, newFilePath }: ArrivalRecord): boolean {
  return status === 'TRANSFERRED' && identity !== null && (newWorkspaceId !== null || newFilePath !== null);
}

export function heldKey(strikeId: number, filePath: string, identity: string): string {
  return `${strikeId}/${filePath}\0${identity}`;
}

export function heldReason(by: number, ingestId: number): string {
  return `the strike ${by} takes this file in where it lies (its ingest ${ingestId}): it is not moved away`;
}

/** Reads which arrivals must not move. Runs no query if the rules of a group move none. */
export async function heldInPlace(sql: Sql, group: Group): Promise<HeldInPlace> {
  const leaving = group
    .placed('recordArrivals')
    .filter(({ change }) => change.owner.kind === 'strike')
    .flatMap(({ change: { owner, arrivals } }) =>
      arrivals.filter(isLeaving).map((arrival): Leaving => ({ strikeId: owner.key, arrival })),
    );
  if (leaving.length === 0) return new Map();
  const rows = await sql.execute<{
    strikeId: number;
    filePath: string;
    identity: string;
    by: number;
    ingestId: number;
  }>(HELD, PLACES.params(leaving));
  return new Map(
    rows.map(({ strikeId, filePath, identity, by, ingestId }) => [
      heldKey(strikeId, filePath, identity),
      heldReason(by, ingestId),
    ]),
  );
}
