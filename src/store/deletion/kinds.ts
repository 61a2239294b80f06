/** Records that can be deleted, and the lock that excludes new references to a record while it is being deleted. */
import { AppError } from '../../domain/errors.ts';
import { DELETION_LOCK, takeLock } from '../locks.ts';
import type { Sql } from '../sql/sql.ts';

export type DeletableKind =
  | 'workspace'
  | 'strike'
  | 'scan'
  | 'dataset'
  | 'batch'
  | 'job_type'
  | 'recipe_type';

/** A record that is to be deleted. */
export interface Target {
  readonly kind: DeletableKind;
  readonly id: number;
  /** Empty for kinds without names. */
  readonly name: string;
  /** Empty for all but job types. */
  readonly version: string;
  /** Part of every installation. */
  readonly isSystem: boolean;
  /** Its own jobs, which have not ended: of a strike or scan. */
  readonly liveJobIds: readonly number[];
}

export type Named = Pick<Target, 'kind' | 'id' | 'name' | 'version'>;

const OWN_JOBS = {
  strike: 'r.job_id',
  scan: 'r.job_id, r.dry_run_job_id',
};

function jobsOf(kind: DeletableKind): string {
  const ids = kind === 'strike' || kind === 'scan' ? OWN_JOBS[kind] : undefined;
  return ids === undefined
    ? `'{}'::bigint[]`
    : `array(select id from job where id in (${ids}) and status not in ('FAILED', 'COMPLETED', 'CANCELED'))`;
}

const WITHOUT_NAMES: ReadonlySet<DeletableKind> = new Set(['dataset', 'batch']);
const TYPES: ReadonlySet<DeletableKind> = new Set(['job_type', 'recipe_type']);

async function find(
  sql: Sql,
  kind: DeletableKind,
  where: string,
  params: readonly unknown[],
): Promise<Target | undefined> {
  const [row] = await sql.execute<Omit<Target, 'kind'>>(
    `select r.id, ${WITHOUT_NAMES.has(kind) ? `''` : 'r.name'} as name,
       ${kind === 'job_type' ? 'r.version' : `''`} as version,
       ${TYPES.has(kind) ? 'r.is_system' : 'false'} as "isSystem", ${jobsOf(kind)} as "liveJobIds"
     from ${kind} r where r.deleted is null and ${where}`,
    params,
  );
  return row === undefined ? undefined : { kind, ...row };
}

/** Undefined: there is none, or it is deleted. */
export function targetById(sql: Sql, kind: DeletableKind, id: number): Promise<Target | undefined> {
  return find(sql, kind, 'r.id = $1', [id]);
}

/** A deleted record whose row is still there. */
export async function hiddenById(sql: Sql, kind: DeletableKind, id: number): Promise<Named | undefined> {
  const [row] = await sql.execute<Omit<Named, 'kind'>>(
    `select r.id, ${WITHOUT_NAMES.has(kind) ? `''` : 'r.name'} as name,
       ${kind === 'job_type' ? 'r.version' : `''`} as version
     from ${kind} r where r.id = $1 and r.deleted is not null`,
    [id],
  );
  return row === undefined ? undefined : { kind, ...row };
}

/** Undefined: there is none, or it is deleted. */
export function targetByName(
  sql: Sql,
  kind: 'job_type' | 'recipe_type',
  name: string,
  version = '',
): Promise<Target | undefined> {
  if (kind === 'recipe_type') return find(sql, kind, 'r.name = $1', [name]);
  return find(sql, kind, 'r.name = $1 and r.version = $2', [name, version]);
}

/** limit: how long a deletion waits for commits under way, while later commits wait for it. */
const WAIT_MS = 3_000;

/**
 * Takes the lock exclusively, so that no transaction that shares it runs until this one ends. Throws STORE_UNAVAILABLE.
 */
export async function excludeUsers(tx: Sql): Promise<void> {
  await tx.execute(`set local lock_timeout = ${WAIT_MS}`);
  await takeLock(tx, DELETION_LOCK);
}

/** Records that a transaction is about to refer to. */
export interface Mentions {
  readonly workspaceNames?: readonly string[];
  readonly workspaceIds?: readonly number[];
  readonly recipeTypeNames?: readonly string[];
  readonly recipeTypeIds?: readonly number[];
  readonly jobTypeIds?: readonly number[];
  readonly datasetIds?: readonly number[];
}

const ABSENT = /* sql */ `
  select 'workspace' as kind, m.name from unnest($1::text[]) as m(name)
    where not exists (select from workspace r where r.name = m.name and r.deleted is null)
  union all select 'workspace', m.id::text from unnest($2::bigint[]) as m(id)
    where not exists (select from workspace r where r.id = m.id and r.deleted is null)
  union all select 'recipe type', m.name from unnest($3::text[]) as m(name)
    where not exists (select from recipe_type r where r.name = m.name and r.deleted is null)
  union all select 'recipe type', m.id::text from unnest($4::bigint[]) as m(id)
    where not exists (select from recipe_type r where r.id = m.id and r.deleted is null)
  union all select 'job type', m.id::text from unnest($5::bigint[]) as m(id)
    where not exists (select from job_type r where r.id = m.id and r.deleted is null)
  union all select 'dataset', m.id::text from unnest($6::bigint[]) as m(id)
    where not exists (select from dataset r where r.id = m.id and r.deleted is null)
  limit 1`;

/** Keeps these records from being deleted until the end of the transaction. Throws CONFLICT if one already is. */
export async function holdMentioned(tx: Sql, mentions: Mentions): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock_shared($1)', [DELETION_LOCK]);
  await refuseAbsent(tx, mentions);
}

/** Throws CONFLICT if one of these records is deleted. */
export async function refuseAbsent(sql: Sql, mentions: Mentions): Promise<void> {
  const [absent] = await sql.execute<{ kind: string; name: string }>(ABSENT, [
    mentions.workspaceNames ?? [],
    mentions.workspaceIds ?? [],
    mentions.recipeTypeNames ?? [],
    mentions.recipeTypeIds ?? [],
    mentions.jobTypeIds ?? [],
    mentions.datasetIds ?? [],
  ]);
  if (absent === undefined) return;
  throw new AppError('CONFLICT', `the ${absent.kind} ${absent.name} is deleted`);
}
