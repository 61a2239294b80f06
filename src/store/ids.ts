/** Identifiers from the identity sequences, reserved in blocks. Nobody else ever gets one of them. */
import { AppError } from '../domain/errors.ts';
import type { IdPort } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import type { Sql } from './sql.ts';

/** Tables whose ids are given out before their rows exist. */
const KINDS: ReadonlySet<string> = new Set([
  'diagnostic_run',
  'event',
  'file',
  'ingest',
  'job',
  'job_exe',
  'job_request',
  'job_type',
  'node',
  'recipe',
  'recipe_condition',
  'recipe_type',
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
