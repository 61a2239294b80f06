/**
 * Leases on shards: rows of `coordinator` and `shard_lease`, on the database's clock. It needs a pool of its own,
 * because a renewal must not queue behind commits. The tables are tiny; every statement reads them as a whole.
 *
 * Locks. A commit locks its lease rows FOR KEY SHARE. This allows renewals, which only update (FOR SHARE would delay
 * them under load), and excludes takers, who lock FOR UPDATE and skip locked rows: an epoch never changes during a
 * transaction that relies on it.
 *
 * The database's clock may step back, and rows from before then expire far in the future. No lease lasts longer than
 * its owner renews it for, so such an expiry is shortened to that: a live owner renews before it is over, and the
 * shards of a dead one are free after it.
 */
import { AppError } from '../../domain/errors.ts';
import type { Addresses, CoordinatorInfo, LeasePort, LeaseView } from '../../kernel/mod.ts';
import { assert } from '../../lib/assert.ts';
import { realClock } from '../../lib/real-clock.ts';
import { Secret } from '../../lib/secret.ts';
import { DELETION_LOCK } from '../locks.ts';
import type { Sql } from '../sql/sql.ts';

/** One reading of the database's clock, between two readings of the host's monotonic clock. Milliseconds. */
export interface ClockReading {
  readonly databaseMs: number;
  readonly askedMs: number;
  readonly answeredMs: number;
}

export interface LeaseStoreOptions {
  readonly sql: Sql;
  /** How long a renewal is valid. Each coordinator writes its own. */
  readonly ttlMs: number;
  /** No other coordinator can be alive: earlier leases are void at once, not when they expire. */
  readonly isAlone?: boolean;
  /** A statement that takes longer counts as failed for the caller. */
  readonly deadlineMs?: number;
  /** Gets the database's clock with each renewal. */
  readonly onClockRead?: (reading: ClockReading) => void;
}

type Pairs<T> = readonly (readonly [number, T])[];

interface HeartbeatRow {
  readonly held: Pairs<number>;
  readonly others: readonly {
    readonly id: string;
    readonly http: string | null;
    readonly grpc: string | null;
    readonly version: string;
    readonly key: string | null;
  }[];
  readonly owners: Pairs<string>;
  readonly lapsed: readonly string[];
  readonly nextLapseMs: number | null;
  readonly databaseMs: number;
  /** The expiry of another coordinator's seat or lease is later than any renewal could have set it. */
  readonly hasImpossible: boolean | null;
}

const REGISTER = /* sql */ `
  insert into coordinator (id, http_address, grpc_address, version, bus_key, started, expires, lease_ms)
  values ($1, $2, $3, $4, $6, now(), now() + $5 * interval '1 millisecond', $5)
  on conflict (id) do update set http_address = excluded.http_address, grpc_address = excluded.grpc_address,
    version = excluded.version, bus_key = excluded.bus_key, started = excluded.started, expires = excluded.expires,
    lease_ms = excluded.lease_ms
    where coordinator.expires <= now()
  returning id`;

/** Epochs grow when leases are taken, so a former owner that is still alive cannot save any more. */
const FREE_ALL = /* sql */ `
  with freed as (update shard_lease set owner = null, expires = '-infinity' where owner is not null)
  delete from coordinator`;

/** Removes the seats of coordinators that died without leaving. */
const FORGET = /* sql */ `delete from coordinator where expires < now() - interval '1 hour'`;

/** The longest lease of this version, or of an earlier coordinator: the maximum of MILLRACE_LEASE_MS. */
export const LEASE_MS_MAX = 60_000;

/** How long a lease of the coordinator `seat` lasts. */
const LONGEST = `coalesce(seat.lease_ms, ${LEASE_MS_MAX}) * interval '1 millisecond'`;

const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::float8';

const HEARTBEAT = /* sql */ `
  with seat as (
    insert into coordinator (id, http_address, grpc_address, version, bus_key, started, expires, lease_ms)
    select $1, $2, $3, $4, $6, now(), now() + $5 * interval '1 millisecond', $5 where not $7::boolean
    on conflict (id) do update set expires = excluded.expires
  ), gone as (
    delete from coordinator where id = $1 and $7::boolean
  ), renewed as (
    update shard_lease set expires = now() + $5 * interval '1 millisecond' where owner = $1
    returning shard, epoch
  )
  select
    (select coalesce(json_agg(json_build_array(shard, epoch)), '[]') from renewed) as held,
    (select coalesce(json_agg(json_build_object('id', id, 'http', http_address, 'grpc', grpc_address,
       'version', version, 'key', bus_key)), '[]') from coordinator where expires > now() and id <> $1) as others,
    (select coalesce(json_agg(json_build_array(shard, owner)), '[]') from shard_lease
       where owner <> $1 and expires > now()) as owners,
    (select coalesce(json_agg(id), '[]') from coordinator where expires <= now() and id <> $1) as lapsed,
    (select (extract(epoch from min(expires) - now()) * 1000)::float8 from shard_lease
       where owner <> $1 and expires > now()) as "nextLapseMs",
    (select greatest(
       (select max(expires - ${LONGEST}) from coordinator as seat where id <> $1),
       (select max(lease.expires - ${LONGEST}) from shard_lease as lease
          left join coordinator as seat on seat.id = lease.owner where lease.owner <> $1)) > now()) as "hasImpossible",
    ${CLOCK} as "databaseMs"`;

/** Rows that are being written are skipped: two coordinators that wait for each other's rows would deadlock. */
const CUT_IMPOSSIBLE = /* sql */ `
  with far_seat as (
    select id from coordinator as seat where id <> $1 and expires - ${LONGEST} > now()
    for no key update skip locked
  ), far_lease as (
    select lease.shard, ${LONGEST} as longest from shard_lease as lease
    left join coordinator as seat on seat.id = lease.owner
    where lease.owner <> $1 and lease.expires - ${LONGEST} > now()
    for no key update of lease skip locked
  ), cut_seats as (
    update coordinator as seat set expires = now() + ${LONGEST} from far_seat where seat.id = far_seat.id
  )
  update shard_lease as lease set expires = now() + far_lease.longest from far_lease
  where lease.shard = far_lease.shard`;

const ACQUIRE = /* sql */ `
  with free as (
    select shard from shard_lease
    where shard = any($2::smallint[]) and (owner is null or expires <= now())
    order by shard for update skip locked
  )
  update shard_lease as lease
  set owner = $1, epoch = lease.epoch + 1, expires = now() + $3 * interval '1 millisecond'
  from free where free.shard = lease.shard
  returning lease.shard, lease.epoch`;

const RELEASE = /* sql */ `
  update shard_lease set owner = null, expires = '-infinity'
  where owner = $1 and shard = any($2::smallint[])`;

const LEAVE = /* sql */ `
  with freed as (update shard_lease set owner = null, expires = '-infinity' where owner = $1)
  delete from coordinator where id = $1`;

const LOCK_LEASES = {
  name: 'lock_leases',
  isRead: true,
  text: /* sql */ `
    select lease.shard, lease.epoch
    from pg_advisory_xact_lock_shared(${DELETION_LOCK}), shard_lease as lease
    where lease.shard = any($1::smallint[])
    order by lease.shard for key share of lease   -- = shard_lease_pkey`,
};

/**
 * Leases for one coordinator. `register` throws AppError CONFLICT if its id is in use; all throw STORE_UNAVAILABLE if
 * the database does not answer in time.
 */
export function leaseStore(options: LeaseStoreOptions): LeasePort {
  const { sql, ttlMs, deadlineMs = ttlMs / 2, isAlone = false, onClockRead } = options;
  let addresses: Addresses | undefined;
  const execute = <T extends object>(text: string, params: readonly unknown[]) =>
    within(deadlineMs, sql.execute<T>(text, params));
  const seat = (self: string) => {
    assert(addresses !== undefined, 'register comes first');
    const { httpAddress, grpcAddress, version, busKey } = addresses;
    return [self, httpAddress, grpcAddress, version, ttlMs, busKey?.reveal() ?? null];
  };
  return {
    ttlMs,
    async register(self, given) {
      addresses = given;
      await execute(isAlone ? FREE_ALL : FORGET, []);
      const rows = await execute(REGISTER, seat(self));
      if (rows.length === 0) throw new AppError('CONFLICT', `a coordinator ${self} is running already`);
    },
    async heartbeat(self, { isLeaving }) {
      const askedMs = realClock.monotonicMs();
      const [row] = await execute<HeartbeatRow>(HEARTBEAT, [...seat(self), isLeaving]);
      assert(row !== undefined && addresses !== undefined, 'a heartbeat answers one row');
      const { databaseMs } = row;
      onClockRead?.({ databaseMs, askedMs, answeredMs: realClock.monotonicMs() });
      if (row.hasImpossible === true) await execute(CUT_IMPOSSIBLE, [self]);
      return toView(self, row, isLeaving ? undefined : addresses);
    },
    async acquire(self, shards) {
      const rows = await execute<{ shard: number; epoch: number }>(ACQUIRE, [self, shards, ttlMs]);
      return new Map(rows.map(({ shard, epoch }) => [shard, Number(epoch)]));
    },
    async release(self, shards) {
      await execute(RELEASE, [self, shards]);
    },
    async leave(self) {
      await execute(LEAVE, [self]);
    },
  };
}

/** The database's clock now. */
export async function readClock(sql: Sql): Promise<ClockReading> {
  const askedMs = realClock.monotonicMs();
  const [row] = await sql.execute<{ databaseMs: number }>(`select ${CLOCK} as "databaseMs"`);
  assert(row !== undefined, 'a clock has a time');
  return { databaseMs: row.databaseMs, askedMs, answeredMs: realClock.monotonicMs() };
}

/**
 * Locks the epochs of these shards until the caller's transaction ends: a turn of another epoch must not be saved by
 * it. A taker increments the epoch, so the owner itself need not be compared. No record is deleted meanwhile.
 */
export async function lockLeases(
  sql: Sql,
  shards: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.execute<{ shard: number; epoch: number }>(LOCK_LEASES, [[...shards]]);
  return new Map(rows.map(({ shard, epoch }) => [shard, epoch]));
}

/** The statement's snapshot is older than its own updates, so our own leases are added here. */
function toView(self: string, row: HeartbeatRow, seat: Addresses | undefined): LeaseView {
  const held = new Map(row.held);
  const owners = new Map<number, string>(row.owners);
  for (const shard of held.keys()) owners.set(shard, self);
  const coordinators: CoordinatorInfo[] = row.others.map(({ id, http, grpc, version, key }) => ({
    id,
    httpAddress: http ?? '',
    grpcAddress: grpc ?? '',
    version,
    ...(key === null ? {} : { busKey: new Secret(key) }),
  }));
  if (seat !== undefined) coordinators.push({ id: self, ...seat });
  coordinators.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { held, coordinators, owners, lapsed: row.lapsed, nextLapseMs: row.nextLapseMs };
}

/** Rejects after the deadline, so that a dead connection does not hide that our leases expire. */
async function within<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new AppError('STORE_UNAVAILABLE', `the database did not answer within ${deadlineMs} ms`);
    timer = setTimeout(() => reject(error), deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
