/** The existing ingests that the arrivals of a group may concern, by owner. */
import type { IngestOwner } from '../../domain/ingest/ingest.ts';
import { ownProducts } from '../file/task-products.ts';
import { purgedArrivals } from '../file/tombstones.ts';
import type { Group } from '../sql/group.ts';
import { pipelined } from '../sql/pipelined.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql, Statement } from '../sql/sql.ts';
import { type Arrivals, decideArrivals, type KnownIngest } from './arrivals.ts';
import { heldInPlace } from './held-in-place.ts';

interface Place {
  readonly ownerId: number;
  readonly filePath: string;
  readonly identity: string;
}

const PLACES = new RowSet<Place>([
  ['owner_id', 'id', (row) => row.ownerId],
  ['file_path', 'text', (row) => row.filePath],
  ['arrival', 'text', (row) => row.identity],
]);

const KNOWN = 'i.id, i.file_path, i.arrival, i.status';

/**
 * Offsets prevent the planner from merging the subqueries: on a table that was once small, a walk over a whole index
 * would seem as cheap.
 */
const KNOWN_OF_STRIKES = {
  name: 'known_ingests_of_strikes',
  isRead: true,
  text: /* sql */ `
    with d as materialized (select * from ${PLACES.table('d')})
    select 'strike' as owner_kind, i.strike_id as owner_key, ${KNOWN}
    from (select distinct owner_id, file_path from d) as d cross join lateral (
      select strike_id, ${KNOWN} from ingest i
      where i.strike_id = d.owner_id and i.file_path = d.file_path
        and i.status = 'TRANSFERRING'   -- = ingest_transferring_key
      offset 0) as i
    union all
    select 'strike', i.strike_id, ${KNOWN} from d cross join lateral (
      select strike_id, ${KNOWN} from ingest i
      where i.strike_id = d.owner_id and i.file_path = d.file_path
        and i.arrival = d.arrival and i.arrival is not null   -- = ingest_arrival_key
      offset 0) as i
    where i.status <> 'TRANSFERRING'`,
};

/** A scan finds complete files only. `+ 0` keeps the planner from using the index over all ingests of a scan. */
const KNOWN_OF_SCANS = {
  name: 'known_ingests_of_scans',
  isRead: true,
  text: /* sql */ `
    select 'scan' as owner_kind, i.scan_id as owner_key, ${KNOWN} from ${PLACES.table('d')} cross join lateral (
      select scan_id, ${KNOWN} from ingest i
      where i.file_path = d.file_path and i.arrival = d.arrival and i.scan_id + 0 = d.owner_id
        and i.scan_id is not null and i.arrival is not null   -- = ingest_scan_place_key
      offset 0) as i`,
};

/** Reads the rows that the arrivals of a group may concern, and decides them. */
export async function readArrivals(sql: Sql, group: Group): Promise<Arrivals> {
  const arrivals = group.items('recordArrivals', (change) => change.arrivals);
  const [ofStrikes, ofScans, purged, products, held] = await pipelined(group, [
    () => knownOf(sql, KNOWN_OF_STRIKES, placesOf(group, 'strike')),
    () => knownOf(sql, KNOWN_OF_SCANS, placesOf(group, 'scan')),
    () => purgedArrivals(sql, arrivals),
    () => ownProducts(sql, arrivals),
    () => heldInPlace(sql, group),
  ]);
  return decideArrivals(group, [...ofStrikes, ...ofScans], new Set([...purged, ...products]), held);
}

function placesOf(group: Group, kind: IngestOwner['kind']): readonly Place[] {
  return group
    .placed('recordArrivals')
    .filter(({ change }) => change.owner.kind === kind)
    .flatMap(({ change: { owner, arrivals } }) =>
      arrivals.map(
        ({ filePath, seenIdentity }): Place => ({ ownerId: owner.key, filePath, identity: seenIdentity }),
      ),
    );
}

async function knownOf(
  sql: Sql,
  statement: Statement,
  places: readonly Place[],
): Promise<readonly KnownIngest[]> {
  return places.length === 0 ? [] : sql.execute<KnownIngest>(statement, PLACES.params(places));
}
