/**
 * Who holds which shard: rows of `coordinator` and `shard_lease`, on the database's clock. Give it a pool of
 * its own: a renewal must not queue behind commits. The tables are tiny; every statement reads them whole.
 *
 * Locks. A commit locks its lease rows FOR KEY SHARE. That lets renewals pass, which only update (FOR SHARE
 * would hold them up under load), and keeps takers out, who lock FOR UPDATE and skip what is locked: an epoch
 * never changes under a transaction that relies on it.
 */
import { AppError } from '../domain/errors.ts';
import type { Addresses, LeasePort, LeaseView } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import type { Sql } from './sql.ts';

export interface LeaseStoreOptions {
  readonly sql: Sql;
  /** How long a renewal lasts. Each coordinator writes its own. */
  readonly ttlMs: number;
  /**
   * Nobody else can be using these leases: those of earlier coordinators are void at once, not when they lapse.
   */
  readonly isAlone?: boolean;
  /** A statement that takes longer has failed, as far as the caller is concerned. */
  readonly deadlineMs?: number;
}

type Pairs<T> = readonly (readonly [number, T])[];

interface HeartbeatRow {
  readonly held: Pairs<number>;
  readonly others: readonly {
    readonly id: string;
    readonly http: string | null;
    readonly grpc: string | null;
    readonly version: string;
  }[];
  readonly owners: Pairs<string>;
  readonly lapsed: readonly string[];
  readonly nextLapseMs: number | null;
}

const REGISTER = /* sql */ `
  insert into coordinator (id, http_address, grpc_address, version, started, expires)
  values ($1, $2, $3, $4, now(), now() + $5 * interval '1 millisecond')
  on conflict (id) do update set http_address = excluded.http_address, grpc_address = excluded.grpc_address,
    version = excluded.version, started = excluded.started, expires = excluded.expires
    where coordinator.expires <= now()
  returning id`;

/** Epochs grow when leases are taken, so even a former owner that lives after all cannot save any more. */
const FREE_ALL = /* sql */ `
  with freed as (update shard_lease set owner = null, expires = '-infinity' where owner is not null)
  delete from coordinator`;

/** Seats of those who never said goodbye. */
const FORGET = /* sql */ `delete from coordinator where expires < now() - interval '1 hour'`;

const HEARTBEAT = /* sql */ `
  with seat as (
    insert into coordinator (id, http_address, grpc_address, version, started, expires)
    select $1, $2, $3, $4, now(), now() + $5 * interval '1 millisecond' where not $6::boolean
    on conflict (id) do update set expires = excluded.expires
  ), gone as (
    delete from coordinator where id = $1 and $6::boolean
  ), renewed as (
    update shard_lease set expires = now() + $5 * interval '1 millisecond' where owner = $1
    returning shard, epoch
  )
  select
    (select coalesce(json_agg(json_build_array(shard, epoch)), '[]') from renewed) as held,
    (select coalesce(json_agg(json_build_object('id', id, 'http', http_address, 'grpc', grpc_address,
       'version', version)), '[]') from coordinator where expires > now() and id <> $1) as others,
    (select coalesce(json_agg(json_build_array(shard, owner)), '[]') from shard_lease
       where owner <> $1 and expires > now()) as owners,
    (select coalesce(json_agg(id), '[]') from coordinator where expires <= now() and id <> $1) as lapsed,
    (select (extract(epoch from min(expires) - now()) * 1000)::float8 from shard_lease
       where owner <> $1 and expires > now()) as "nextLapseMs"`;

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
  text: /* sql */ `
    select shard, epoch from shard_lease where shard = any($1::smallint[])
    order by shard for key share   -- = shard_lease_pkey`,
};

/**
 * Leases for one coordinator. `register` throws AppError CONFLICT when its id is in use; all throw
 * STORE_UNAVAILABLE when the database does not answer in time.
 */
export function leaseStore(options: LeaseStoreOptions): LeasePort {
  const { sql, ttlMs, deadlineMs = ttlMs / 2, isAlone = false } = options;
  let addresses: Addresses | undefined;
  const execute = <T extends object>(text: string, params: readonly unknown[]) =>
    within(deadlineMs, sql.execute<T>(text, params));
  const seat = (self: string) => {
    assert(addresses !== undefined, 'register comes first');
    return [self, addresses.httpAddress, addresses.grpcAddress, addresses.version, ttlMs];
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
      const [row] = await execute<HeartbeatRow>(HEARTBEAT, [...seat(self), isLeaving]);
      assert(row !== undefined && addresses !== undefined, 'a heartbeat answers one row');
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

/**
 * The epochs of these shards, which don't change before the caller's transaction ends: a turn decided at
 * another epoch must not be saved by it. Whoever takes a lease makes its epoch grow, so the owner needs no
 * look.
 */
export async function lockLeases(
  sql: Sql,
  shards: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.execute<{ shard: number; epoch: number }>(LOCK_LEASES, [[...shards]]);
  return new Map(rows.map(({ shard, epoch }) => [shard, epoch]));
}

/** The statement's snapshot is older than its own updates, so what is ours is put in here. */
function toView(self: string, row: HeartbeatRow, seat: Addresses | undefined): LeaseView {
  const held = new Map(row.held);
  const owners = new Map<number, string>(row.owners);
  for (const shard of held.keys()) owners.set(shard, self);
  const coordinators = row.others.map(({ id, http, grpc, version }) => ({
    id,
    httpAddress: http ?? '',
    grpcAddress: grpc ?? '',
    version,
  }));
  if (seat !== undefined) coordinators.push({ id: self, ...seat });
  coordinators.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { held, coordinators, owners, lapsed: row.lapsed, nextLapseMs: row.nextLapseMs };
}

/** A connection into nowhere must not keep us from noticing that our leases lapse. */
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
