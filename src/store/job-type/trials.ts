/**
 * Trials of job types. Each has its own row, hidden like that of a deleted type, under a name that manifests cannot
 * have, so that its errors and counters are separate from those of other types. Once its hour is over, a purge without
 * a workspace and with the negative id of the type as its file removes the job, its products, and their rows; then the
 * type's row is deleted.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { LIVE_TRIALS_MAX, TRIAL_MARK, TRIAL_MS, TRIALS_MAX } from '../../domain/manifest/trial.ts';
import { assert } from '../../lib/assert.ts';
import { type CurrentJobRevision, trialRevision } from '../catalog/facts.ts';
import { removeRows } from '../deletion/history.ts';
import type { Encryption } from '../secret-key/encryption.ts';
import type { Sql } from '../sql/sql.ts';
import { holdOutputs, type Secrets, saveErrors, saveSecrets } from './save.ts';

export interface NewTrial {
  readonly accountId: number;
  readonly containerImage: string;
  /** Validated, defaults filled in. */
  readonly manifest: Manifest;
  /** Validated, without secrets. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
  readonly nowMs: number;
}

/** A trial is live until its job has ended; one whose job does not exist yet is live as well. */
const OF_ACCOUNT = /* sql */ `
  select count(*)::int as count, count(*) filter (where not exists (
      select from job j where j.job_type_id = t.id and j.ended is not null))::int as live   -- = job_type_idx
  from job_type t where t.expires is not null and t.tried_by = $1   -- = job_type_trial_idx`;
const INSERT = /* sql */ `
  with type as (
    insert into job_type (name, version, title, description, max_tries, container_image, configuration, created,
      last_modified, deleted, expires, tried_by)
    select $1, $2, $3, $4, 1, $5, $6, at, at, at, to_timestamp($7 / 1000.0), $8 from to_timestamp($9 / 1000.0) as at
    returning id, container_image, created)
  insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
  select id, 1, container_image, $10, created from type
  returning job_type_id as "jobTypeId"`;

/**
 * Creates the type of a trial. Throws CONFLICT if the account has too many, or a workspace of the configuration is
 * deleted. Two requests at once may exceed the limits by one.
 */
export function createTrial(sql: Sql, encryption: Encryption, trial: NewTrial): Promise<CurrentJobRevision> {
  const { accountId, containerImage, manifest, configuration, secrets, nowMs } = trial;
  const { job } = manifest;
  const jobTypeName = TRIAL_MARK + randomBytes(8).toString('hex');
  return sql.transaction(async (tx) => {
    const [known] = await tx.execute<{ count: number; live: number }>(OF_ACCOUNT, [accountId]);
    refuseMany(known?.count ?? 0, known?.live ?? 0);
    await holdOutputs(tx, configuration);
    const [made] = await tx.execute<{ jobTypeId: number }>(INSERT, [
      ...[jobTypeName, job.jobVersion, job.title, job.description, containerImage],
      ...[JSON.stringify(configuration), nowMs + TRIAL_MS, accountId, nowMs, JSON.stringify(manifest)],
    ]);
    assert(made !== undefined, 'an insert answers its row');
    await saveErrors(tx, manifest, jobTypeName, nowMs);
    await saveSecrets(tx, encryption, made.jobTypeId, secrets);
    return trialRevision(tx, made.jobTypeId);
  });
}

function refuseMany(count: number, live: number): void {
  if (live >= LIVE_TRIALS_MAX)
    throw new AppError('CONFLICT', `the account has ${live} trials that have not ended: wait or cancel one`);
  if (count >= TRIALS_MAX)
    throw new AppError(
      'CONFLICT',
      `the account has had ${count} trials within an hour: wait for the first to go`,
    );
}

/** limit: trials that one call begins to remove, or finishes. */
const REMOVED_MAX = 50;

const EXPIRED = /* sql */ `
  select t.id from job_type t
  where t.expires < to_timestamp($1::float8 / 1000) and t.expires is not null   -- = job_type_trial_idx
    and not exists (select from purge p where p.file_id = -t.id)   -- = purge_file_id_key
  order by t.id limit ${REMOVED_MAX}`;
const PURGED = /* sql */ `
  select -p.file_id as id from job_type t join purge p on p.file_id = -t.id and p.phase = 'done'
  where t.expires is not null   -- = job_type_trial_idx, purge_file_id_key
  order by t.id limit ${REMOVED_MAX}`;
const PURGE = /* sql */ `
  with begun as (
    insert into purge (id, shard, file_id, file_name, file_path, file_size, created, last_modified)
    select $1, $2, -$3::bigint, '', '', 0, at, at from to_timestamp($4::float8 / 1000) as at
    on conflict do nothing returning id)   -- = purge_file_id_key
  insert into purge_job (purge_id, job_id)
  select begun.id, j.id from begun join job j on j.job_type_id = $3   -- = job_type_idx`;

/** Draws the id of a new purge; `shard` is that of the id. */
export type PurgePlace = () => Promise<{ readonly id: number; readonly shard: number }>;

/** Begins to remove trials whose hour is over, and finishes those whose work is purged. True: there may be more. */
export async function removeTrials(sql: Sql, nowMs: number, newPurge: PurgePlace): Promise<boolean> {
  const purged = await sql.execute<{ id: number }>(PURGED);
  for (const { id } of purged) {
    await sql.transaction(async (tx) => {
      await removeRows(tx, { kind: 'job_type', id });
      await tx.execute('delete from purge where file_id = -$1::bigint', [id]);
    });
  }
  const expired = await sql.execute<{ id: number }>(EXPIRED, [nowMs]);
  for (const { id } of expired) {
    const place = await newPurge();
    await sql.execute(PURGE, [place.id, place.shard, id, nowMs]);
  }
  return expired.length === REMOVED_MAX || purged.length === REMOVED_MAX;
}
