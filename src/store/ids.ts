/**
 * Identifiers from identity sequences, reserved in blocks that nobody else gets.
 *
 * An actor that a request creates lives in the shard of its id (`id % 64`). The sequences of those kinds grow by 64
 * (migrations/0001-tables.ts): one value stands for a stripe of 64 consecutive ids, one of each shard. One statement
 * thus yields ids of whatever shards this coordinator holds, and a request is handled where it came in.
 */
import { AppError } from '../domain/errors.ts';
import type { IdPort } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import type { Sql } from './sql/sql.ts';

/** Tables whose ids are assigned before their rows exist. */
const KINDS: ReadonlySet<string> = new Set([
  'batch',
  'diagnostic_run',
  'event',
  'file',
  'ingest',
  'job',
  'job_exe',
  'job_request',
  'job_type',
  'node',
  'purge',
  'recipe',
  'recipe_condition',
  'recipe_type',
  'scan',
  'strike',
  'workspace',
]);

/** Kinds whose sequences grow by a stripe. */
const STRIPED: ReadonlySet<string> = new Set(['batch', 'diagnostic_run', 'job', 'job_request', 'recipe']);

/** Equals SHARD_COUNT of the kernel; a test compares them. */
const STRIPE = 64;
const BLOCK_MAX = 100_000;

/** The shard of the actor of a record that a request creates. */
export function shardOfId(id: number): number {
  return id % STRIPE;
}

export function idStore(sql: Sql): IdPort {
  return { reserve: (idKind, n) => reserveIds(sql, idKind, n) };
}

export async function reserveIds(sql: Sql, idKind: string, n: number): Promise<readonly number[]> {
  if (!KINDS.has(idKind)) throw new AppError('NOT_FOUND', `there are no identifiers of kind '${idKind}'`);
  assert(Number.isInteger(n) && n > 0 && n <= BLOCK_MAX, `${n} identifiers at once`);
  const width = STRIPED.has(idKind) ? STRIPE : 1;
  // The kind is one of the names above, so no input reaches the statement.
  const text = `select nextval('${idKind}_id_seq') as id from generate_series(1, $1)`;
  const name = `reserve_${idKind}`;
  const rows = await sql.execute<{ id: number }>({ name, text }, [Math.ceil(n / width)]);
  return Array.from({ length: n }, (_, at) => (rows[Math.floor(at / width)]?.id ?? 0) + (at % width));
}

/** limit: ids reserved for requests. A restart loses them, which leaves a gap. */
const REQUEST_BLOCK = 32;
/** Other kinds of which requests often need a single id. */
const REQUESTED_OFTEN: ReadonlySet<string> = new Set(['event']);

/**
 * The port for requests: single identifiers of frequent kinds come from a block, in order. Those of striped kinds
 * belong to a shard that is held at that moment, if any is; ids of other shards stay in the block in case their shard
 * is taken later, and are dropped with it. The created actor is loaded wherever its shard is by then.
 */
export function idBlocks(port: IdPort, heldShards: () => readonly number[]): IdPort {
  const blocks = new Map<string, Promise<number[]>>();
  const open = (idKind: string, size: number): Promise<number[]> => {
    const block = port.reserve(idKind, size).then((ids) => [...ids]);
    blocks.set(idKind, block);
    block.catch(() => blocks.delete(idKind)); // the next caller tries again
    return block;
  };
  return {
    async reserve(idKind, n) {
      const isStriped = STRIPED.has(idKind);
      if (n !== 1 || !(isStriped || REQUESTED_OFTEN.has(idKind))) return port.reserve(idKind, n);
      for (;;) {
        const size = isStriped ? stripesFor(heldShards().length) * STRIPE : REQUEST_BLOCK;
        const block = blocks.get(idKind) ?? open(idKind, size);
        const ids = await block;
        const at = isStriped ? indexOfHeld(ids, heldShards()) : 0;
        const [id] = at < 0 ? [] : ids.splice(at, 1);
        if (id !== undefined) return [id];
        if (blocks.get(idKind) === block) blocks.delete(idKind);
      }
    },
  };
}

/** The number of stripes that contain a block of usable ids. */
function stripesFor(shardsHeld: number): number {
  return Math.ceil(REQUEST_BLOCK / (shardsHeld === 0 ? STRIPE : shardsHeld));
}

/** The first id whose shard is held, or the first of all if no shard is held; -1 if there is none. */
function indexOfHeld(ids: readonly number[], heldShards: readonly number[]): number {
  if (heldShards.length === 0) return ids.length === 0 ? -1 : 0;
  const held = new Set(heldShards);
  return ids.findIndex((id) => held.has(id % STRIPE));
}
