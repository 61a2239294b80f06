/**
 * Writes job types: a version is created once, each change of its manifest or image is a revision, and secret settings
 * are stored encrypted, separate from the configuration.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import { outputWorkspaceNames } from '../../domain/job/job-config.ts';
import type { Labels } from '../../domain/labels.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { holdMentioned } from '../deletion/kinds.ts';
import type { Encryption } from '../secret-key/encryption.ts';
import type { Sql } from '../sql/sql.ts';

/** Secret settings by name, in plain text. */
export type Secrets = Readonly<Record<string, string>>;

export interface JobTypeWrite {
  readonly containerImage: string;
  /** Validated, defaults filled in. */
  readonly manifest: Manifest;
  /** Validated, without secrets. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
  readonly iconCode: string | null;
  readonly isPublished: boolean;
  readonly maxScheduled: number | null;
  readonly maxTries: number;
  readonly labels: Labels;
  readonly nowMs: number;
}

/** Absent fields do not change; null clears where the type allows it. */
export interface JobTypeEdit {
  readonly containerImage?: string;
  readonly manifest?: Manifest;
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Added to the stored ones: a setting that is not given keeps its secret. */
  readonly secrets?: Secrets;
  readonly iconCode?: string | null;
  readonly isPublished?: boolean;
  readonly isActive?: boolean;
  readonly isPaused?: boolean;
  readonly maxScheduled?: number | null;
  readonly maxTries?: number;
  readonly labels?: Labels;
  readonly nowMs: number;
}

export interface WrittenJobType {
  readonly id: number;
  readonly revisionNum: number;
}

const INSERT = /* sql */ `
  insert into job_type (name, version, title, description, icon_code, is_published, max_scheduled, max_tries,
    container_image, configuration, tags, labels, created, last_modified)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13::jsonb, at, at from to_timestamp($12 / 1000.0) as at
  on conflict on constraint job_type_name_version_key do nothing
  returning id`;
const REVISION = /* sql */ `
  insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
  values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))`;
const SECRETS = /* sql */ `update job_type set secrets = $2 where id = $1`;
const ERRORS = /* sql */ `
  insert into error (name, title, description, job_type_name, category, is_builtin, should_be_retried, created,
    last_modified)
  select e.name, left(e.title, 50), left(coalesce(e.description, ''), 250), $1,
    case e.category when 'data' then 'DATA' else 'ALGORITHM' end, false, false, at, at
  from jsonb_to_recordset($2::jsonb) as e(name text, title text, description text, category text),
    to_timestamp($3 / 1000.0) as at
  on conflict on constraint error_name_key do update
    set title = excluded.title, description = excluded.description, category = excluded.category,
      last_modified = excluded.last_modified`;

/**
 * Creates a new version of a job type, or brings a deleted one back with a further revision. Undefined: the version
 * exists and has to be edited. Throws CONFLICT if a workspace of the configuration is deleted.
 */
export function createJobType(
  sql: Sql,
  encryption: Encryption,
  write: JobTypeWrite,
): Promise<WrittenJobType | undefined> {
  return sql.transaction(async (tx) => {
    await holdOutputs(tx, write.configuration);
    const [row] = await tx.execute<{ id: number }>(INSERT, valuesOf(write));
    if (row === undefined) return reviveJobType(tx, encryption, write);
    const { id } = row;
    await tx.execute(REVISION, [id, 1, write.containerImage, JSON.stringify(write.manifest), write.nowMs]);
    await saveErrors(tx, write.manifest, write.manifest.job.name, write.nowMs);
    await saveSecrets(tx, encryption, id, write.secrets);
    return { id, revisionNum: 1 };
  });
}

/** In the order of the parameters of INSERT and REVIVE. */
function valuesOf(write: JobTypeWrite): readonly unknown[] {
  const { job } = write.manifest;
  return [
    job.name,
    job.jobVersion,
    job.title,
    job.description,
    write.iconCode,
    write.isPublished,
    write.maxScheduled,
    write.maxTries,
    write.containerImage,
    JSON.stringify(write.configuration),
    job.tags,
    write.nowMs,
    JSON.stringify(write.labels),
  ];
}

/** Keeps the output workspaces of a job type's configuration from being deleted until the transaction ends. */
export function holdOutputs(tx: Sql, configuration: Readonly<Record<string, unknown>>): Promise<void> {
  return holdMentioned(tx, { workspaceNames: outputWorkspaceNames(configuration) });
}

const REVIVE = /* sql */ `
  update job_type set title = $3, description = $4, icon_code = $5, is_published = $6, max_scheduled = $7,
    max_tries = $8, container_image = $9, configuration = $10, tags = $11, labels = $13, secrets = null,
    revision_num = revision_num + 1, is_active = true, deprecated = null, is_paused = false, paused = null,
    unmet_resources = null, last_modified = at, deleted = null
  from to_timestamp($12 / 1000.0) as at
  where name = $1 and version = $2 and deleted is not null and not is_system
  returning id, revision_num as "revisionNum"`;
/** Saves the configuration that the deleted version had, because earlier executions are shown with it. */
const KEEP_OF_DELETED = /* sql */ `
  insert into job_type_former_configuration (job_type_id, replaced, configuration, secret_names)
  select id, to_timestamp($3 / 1000.0), configuration, '{}' from job_type
  where name = $1 and version = $2 and deleted is not null
  on conflict do nothing`;

/** Brings a deleted version back without the secrets that it had. Undefined: there is no deleted one. */
async function reviveJobType(
  tx: Sql,
  encryption: Encryption,
  write: JobTypeWrite,
): Promise<WrittenJobType | undefined> {
  const { job } = write.manifest;
  await tx.execute(KEEP_OF_DELETED, [job.name, job.jobVersion, write.nowMs]);
  const [row] = await tx.execute<WrittenJobType>(REVIVE, valuesOf(write));
  if (row === undefined) return undefined;
  const { id, revisionNum } = row;
  const { containerImage, manifest, nowMs } = write;
  await tx.execute(REVISION, [id, revisionNum, containerImage, JSON.stringify(manifest), nowMs]);
  await saveErrors(tx, manifest, job.name, nowMs);
  await saveSecrets(tx, encryption, id, write.secrets);
  return row;
}

const LOCK = /* sql */ `
  select type.id, type.revision_num, type.container_image, type.secrets, rev.manifest,
    $3::jsonb is not null and rev.manifest is distinct from $3::jsonb as is_new_manifest
  from job_type as type
  join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
  where type.name = $1 and type.version = $2 and type.deleted is null
  for update of type`;
const UPDATE = /* sql */ `
  update job_type set
    title = $2, description = $3, tags = $4, container_image = $5, revision_num = $6,
    configuration = coalesce($7, configuration),
    icon_code = case when $8 then $9 else icon_code end,
    is_published = coalesce($10, is_published),
    is_active = coalesce($11, is_active),
    deprecated = case when $11 is null or $11 = is_active then deprecated when $11 then null else at end,
    is_paused = coalesce($12, is_paused),
    paused = case when $12 is null or $12 = is_paused then paused when $12 then at else null end,
    max_scheduled = case when $13 then $14 else max_scheduled end,
    max_tries = coalesce($15, max_tries),
    labels = coalesce($17, labels),
    unmet_resources = case when $6 = revision_num then unmet_resources else null end,
    last_modified = at
  from to_timestamp($16 / 1000.0) as at
  where id = $1 and (title, description, tags, container_image, revision_num, configuration, icon_code,
      is_published, is_active, is_paused, max_scheduled, max_tries, labels)
    is distinct from ($2, $3, $4, $5, $6, coalesce($7, configuration), case when $8 then $9 else icon_code end,
      coalesce($10, is_published), coalesce($11, is_active), coalesce($12, is_paused),
      case when $13 then $14 else max_scheduled end, coalesce($15, max_tries), coalesce($17, labels))`;

/** Saves the replaced configuration if it changes, because earlier executions are shown with it. */
const KEEP_FORMER = /* sql */ `
  insert into job_type_former_configuration (job_type_id, replaced, configuration, secret_names)
  select id, to_timestamp($4 / 1000.0), configuration, $3 from job_type
  where id = $1 and ($5 or configuration is distinct from coalesce($2::jsonb, configuration))
  on conflict do nothing`;

interface LockedType {
  readonly id: number;
  readonly revision_num: number;
  readonly container_image: string;
  readonly secrets: Uint8Array | null;
  readonly manifest: Manifest;
  readonly is_new_manifest: boolean;
}

/**
 * Edits a version. A changed manifest or image creates a revision; an edit that changes nothing writes nothing. Throws
 * NOT_FOUND.
 */
export function editJobType(
  sql: Sql,
  encryption: Encryption,
  identity: { readonly name: string; readonly version: string },
  edit: JobTypeEdit,
): Promise<WrittenJobType> {
  return sql.transaction(async (tx) => {
    const given = edit.manifest === undefined ? null : JSON.stringify(edit.manifest);
    const [locked] = await tx.execute<LockedType>(LOCK, [identity.name, identity.version, given]);
    if (locked === undefined)
      throw new AppError('NOT_FOUND', `there is no job type ${identity.name} ${identity.version}`);
    const { id } = locked;
    const image = edit.containerImage ?? locked.container_image;
    const { is_new_manifest: isNewManifest } = locked;
    const manifest = isNewManifest && edit.manifest !== undefined ? edit.manifest : locked.manifest;
    const isRevised = isNewManifest || image !== locked.container_image;
    const revisionNum = locked.revision_num + (isRevised ? 1 : 0);
    const { job } = manifest;
    const kept = openSecrets(encryption, id, locked.secrets);
    const secrets = { ...kept, ...edit.secrets };
    const configuration = edit.configuration === undefined ? null : JSON.stringify(edit.configuration);
    const hasNewSecret = Object.keys(secrets).some((name) => !Object.hasOwn(kept, name));
    if (configuration !== null || hasNewSecret)
      await tx.execute(KEEP_FORMER, [id, configuration, Object.keys(kept), edit.nowMs, hasNewSecret]);
    await tx.execute(UPDATE, [
      id,
      job.title,
      job.description,
      job.tags,
      image,
      revisionNum,
      configuration,
      edit.iconCode !== undefined,
      edit.iconCode ?? null,
      edit.isPublished ?? null,
      edit.isActive ?? null,
      edit.isPaused ?? null,
      edit.maxScheduled !== undefined,
      edit.maxScheduled ?? null,
      edit.maxTries ?? null,
      edit.nowMs,
      edit.labels === undefined ? null : JSON.stringify(edit.labels),
    ]);
    if (isRevised) await tx.execute(REVISION, [id, revisionNum, image, JSON.stringify(manifest), edit.nowMs]);
    if (isNewManifest) await saveErrors(tx, manifest, job.name, edit.nowMs);
    if (!isDeepStrictEqual(secrets, kept)) await saveSecrets(tx, encryption, id, secrets);
    return { id, revisionNum };
  });
}

/** Saves the errors that a manifest declares, under the name of their job type. */
export async function saveErrors(
  tx: Sql,
  { job: { errors } }: Manifest,
  name: string,
  nowMs: number,
): Promise<void> {
  if (errors.length > 0) await tx.execute(ERRORS, [name, JSON.stringify(errors), nowMs]);
}

/** Stores all secret settings of a job type, encrypted. Without any, nothing is written. */
export async function saveSecrets(
  tx: Sql,
  encryption: Encryption,
  jobTypeId: number,
  secrets: Secrets,
): Promise<void> {
  if (Object.keys(secrets).length === 0) return;
  await tx.execute(SECRETS, [
    jobTypeId,
    encryption.encrypt(JSON.stringify(secrets), purposeOfJobType(jobTypeId)),
  ]);
}

/** Decrypts the secret settings of a job type, for launches only. */
export function openSecrets(
  encryption: Encryption,
  jobTypeId: number,
  encrypted: Uint8Array | null,
): Secrets {
  return encrypted === null
    ? {}
    : (JSON.parse(encryption.decrypt(encrypted, purposeOfJobType(jobTypeId))) as Secrets);
}

/** The purpose under which the secrets of a job type are encrypted. */
export function purposeOfJobType(jobTypeId: number): string {
  return `job_type/${jobTypeId}`;
}
