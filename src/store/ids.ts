/** Identifiers from the identity sequences, reserved in blocks. Nobody else ever gets one of them. */
import { AppError } from '../domain/errors.ts';
import type { IdPort } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import type { Sql } from './sql.ts';

/** Tables whose ids are given out before their rows exist. */
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

const BLOCK_MAX = 100_000;

export function idStore(sql: Sql): IdPort {
  return { reserve: (idKind, n) => reserveIds(sql, idKind, n) };
}

export async function reserveIds(sql: Sql, idKind: string, n: number): Promise<readonly number[]> {
  if (!KINDS.has(idKind)) throw new AppError('NOT_FOUND', `there are no identifiers of kind '${idKind}'`);
  assert(Number.isInteger(n) && n > 0 && n <= BLOCK_MAX, `${n} identifiers at once`);
  // The kind is one of the names above: nothing from outside reaches the statement.
  const text = `select nextval('${idKind}_id_seq') as id from generate_series(1, $1)`;
  const rows = await sql.execute<{ id: number }>({ name: `reserve_${idKind}`, text }, [n]);
  return rows.map((row) => row.id);
}

/** limit: identifiers at hand for requests; a restart loses them, which leaves a gap. */
const REQUEST_BLOCK = 32;
/** Kinds that requests ask for one by one, and often: each took a statement of its own before. */
const REQUESTED_OFTEN: ReadonlySet<string> = new Set(['event', 'job', 'recipe']);

/** The port for requests: single identifiers of the kinds asked for often come from a block, in order. */
export function idBlocks(port: IdPort): IdPort {
  const blocks = new Map<string, Promise<number[]>>();
  const open = (idKind: string): Promise<number[]> => {
    const block = port.reserve(idKind, REQUEST_BLOCK).then((ids) => [...ids]);
    blocks.set(idKind, block);
    block.catch(() => blocks.delete(idKind)); // whoever asks next tries again
    return block;
  };
  return {
    async reserve(idKind, n) {
      if (n !== 1 || !REQUESTED_OFTEN.has(idKind)) return port.reserve(idKind, n);
      for (;;) {
        const block = blocks.get(idKind) ?? open(idKind);
        const id = (await block).shift();
        if (id !== undefined) return [id];
        if (blocks.get(idKind) === block) blocks.delete(idKind);
      }
    },
  };
}
