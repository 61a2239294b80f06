/**
 * The job types and recipe types of the built-in diagnostics. A type that differs from the program's own, or from the
 * wanted image, gets a revision; jobs that were queued before keep theirs.
 */
import {
  DIAGNOSTIC_JOB_TYPES,
  DIAGNOSTIC_PRIORITY,
  DIAGNOSTIC_RECIPE_TYPES,
  DIAGNOSTIC_TRIES,
  DIAGNOSTIC_VERSION,
  type DiagnosticJobType,
  type DiagnosticRecipeType,
  diagnosticDefinition,
  diagnosticManifest,
} from '../../domain/diagnostic/diagnostics.ts';
import { DIAGNOSTIC_TYPES_LOCK, takeLock } from '../locks.ts';
import type { Sql } from '../sql/sql.ts';

/** Diagnostics run with this until they are requested on a cluster where no node offers it. */
const PROCESS_IMAGE = 'process:default';

const JOB_TYPE = /* sql */ `
  select type.id, type.revision_num, rev.container_image, rev.manifest = $3::jsonb as is_same
  from job_type as type
  join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
  where type.name = $1 and type.version = $2`;
const INSERT_JOB_TYPE = /* sql */ `
  insert into job_type (name, version, title, description, icon_code, is_system, max_tries, container_image,
    configuration, tags, created, last_modified)
  select $1, $2, $3, $4, $5, true, $6, $7, jsonb_build_object('priority', $8::int), $9, at, at
  from to_timestamp($10 / 1000.0) as at
  returning id`;
const REVISE_JOB_TYPE = /* sql */ `
  update job_type set revision_num = $2, container_image = $3, title = $4, description = $5,
    unmet_resources = null, last_modified = to_timestamp($6 / 1000.0)
  where id = $1`;
const INSERT_JOB_TYPE_REV = /* sql */ `
  insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
  values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))`;

/**
 * Creates or updates the types. `image` undefined: they keep theirs. Idempotent. Returns the revision ids of the recipe
 * types by name.
 */
export function ensureDiagnostics(
  sql: Sql,
  image: string | undefined,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  return sql.transaction(async (tx) => {
    await takeLock(tx, DIAGNOSTIC_TYPES_LOCK);
    const revisions = new Map<string, number>();
    for (const type of DIAGNOSTIC_JOB_TYPES) {
      revisions.set(type.name, await ensureJobType(tx, type, image, nowMs));
    }
    const revIds = new Map<string, number>();
    for (const type of Object.values(DIAGNOSTIC_RECIPE_TYPES)) {
      revIds.set(type.name, await ensureRecipeType(tx, type, revisions, nowMs));
    }
    return revIds;
  });
}

/** Returns the number of its newest revision. */
async function ensureJobType(
  tx: Sql,
  type: DiagnosticJobType,
  image: string | undefined,
  nowMs: number,
): Promise<number> {
  const { name, title, description } = type;
  const manifest = diagnosticManifest(type);
  const text = JSON.stringify(manifest);
  const [there] = await tx.execute<{
    id: number;
    revision_num: number;
    container_image: string;
    is_same: boolean;
  }>(JOB_TYPE, [name, DIAGNOSTIC_VERSION, text]);
  const wanted = image ?? there?.container_image ?? PROCESS_IMAGE;
  if (there?.is_same === true && there.container_image === wanted) return there.revision_num;
  const revisionNum = (there?.revision_num ?? 0) + 1;
  let id = there?.id;
  if (id === undefined) {
    const [row] = await tx.execute<{ id: number }>(INSERT_JOB_TYPE, [
      name,
      DIAGNOSTIC_VERSION,
      title,
      description,
      type.iconCode,
      DIAGNOSTIC_TRIES,
      wanted,
      DIAGNOSTIC_PRIORITY,
      manifest.job.tags,
      nowMs,
    ]);
    id = (row as { id: number }).id;
  } else await tx.execute(REVISE_JOB_TYPE, [id, revisionNum, wanted, title, description, nowMs]);
  await tx.execute(INSERT_JOB_TYPE_REV, [id, revisionNum, wanted, text, nowMs]);
  return revisionNum;
}

const RECIPE_TYPE = /* sql */ `
  select type.id, type.revision_num, rev.id as rev_id, rev.definition = $2::jsonb as is_same
  from recipe_type as type
  join recipe_type_rev as rev on rev.recipe_type_id = type.id and rev.revision_num = type.revision_num
  where type.name = $1`;
const INSERT_RECIPE_TYPE = /* sql */ `
  insert into recipe_type (name, title, description, is_system, definition, created, last_modified)
  select $1, $2, $3, true, $4, at, at from to_timestamp($5 / 1000.0) as at
  returning id`;
const REVISE_RECIPE_TYPE = /* sql */ `
  update recipe_type set revision_num = $2, definition = $3, last_modified = to_timestamp($4 / 1000.0)
  where id = $1`;
const INSERT_RECIPE_TYPE_REV = /* sql */ `
  insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
  values ($1, $2, $3, to_timestamp($4 / 1000.0))
  returning id`;
const LINK_JOB_TYPES = /* sql */ `
  insert into recipe_type_job_type (recipe_type_id, job_type_id)
  select $1, id from job_type where name = any($2::text[]) and version = $3
  on conflict do nothing`;

/** Returns the id of its newest revision. */
async function ensureRecipeType(
  tx: Sql,
  type: DiagnosticRecipeType,
  revisions: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<number> {
  const { name, title, description } = type;
  const definition = JSON.stringify(diagnosticDefinition(type, (job) => revisions.get(job) ?? 1));
  const [there] = await tx.execute<{ id: number; revision_num: number; rev_id: number; is_same: boolean }>(
    RECIPE_TYPE,
    [name, definition],
  );
  if (there?.is_same === true) return there.rev_id;
  const revisionNum = (there?.revision_num ?? 0) + 1;
  let id = there?.id;
  if (id === undefined) {
    const params = [name, title, description, definition, nowMs];
    const [row] = await tx.execute<{ id: number }>(INSERT_RECIPE_TYPE, params);
    id = (row as { id: number }).id;
  } else await tx.execute(REVISE_RECIPE_TYPE, [id, revisionNum, definition, nowMs]);
  await tx.execute(LINK_JOB_TYPES, [id, [...new Set(type.jobs)], DIAGNOSTIC_VERSION]);
  const [rev] = await tx.execute<{ id: number }>(INSERT_RECIPE_TYPE_REV, [
    id,
    revisionNum,
    definition,
    nowMs,
  ]);
  return (rev as { id: number }).id;
}

const OFFERS_PROCESS = /* sql */ `
  select exists (select from node where is_online and is_active and executors ? $1) as is_offered`;

/** The image for diagnostics requested now: a plain process if a node offers that, else `fallback`. */
export async function diagnosticImage(sql: Sql, fallback: string): Promise<string> {
  const [row] = await sql.execute<{ is_offered: boolean }>(OFFERS_PROCESS, [PROCESS_IMAGE]);
  return row?.is_offered === true ? PROCESS_IMAGE : fallback;
}
