/** Records of every installation from its first start: the built-in errors and the job types of system jobs. */
import { BUILTIN_ERRORS } from '../../domain/job/builtin-errors.ts';
import { SYSTEM_PRIORITIES } from '../../domain/job/system-priorities.ts';
import type { Sql } from '../sql/sql.ts';

interface SystemJobType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly iconCode: string;
  /** Smaller numbers come first. */
  readonly priority: number;
  /** Includes the first execution; 0 for jobs that are queued again after every end. */
  readonly maxTries: number;
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
}

const VERSION = '1.0.0';

export const SYSTEM_JOB_TYPES = {
  strike: {
    name: 'millrace-strike',
    title: 'Millrace Strike',
    description: 'Watches a workspace for new files',
    iconCode: 'f0e7',
    priority: SYSTEM_PRIORITIES.strike,
    maxTries: 0,
    inputs: [{ name: 'STRIKE_ID', type: 'integer' }],
  },
  scan: {
    name: 'millrace-scan',
    title: 'Millrace Scan',
    description: 'Examines the files of a workspace',
    iconCode: 'f02a',
    priority: SYSTEM_PRIORITIES.scan,
    maxTries: 0,
    inputs: [
      { name: 'SCAN_ID', type: 'integer' },
      { name: 'DRY_RUN', type: 'boolean' },
    ],
  },
  ingest: {
    name: 'millrace-ingest',
    title: 'Millrace Ingest',
    description: 'Stores one arrived file and registers it',
    iconCode: 'f0f5',
    priority: SYSTEM_PRIORITIES.ingest,
    maxTries: 10,
    inputs: [{ name: 'ingest_id', type: 'integer' }],
  },
} as const satisfies Record<string, SystemJobType>;

const ERROR = /* sql */ `
  insert into error (name, title, description, job_type_name, category, is_builtin, should_be_retried, created,
    last_modified)
  select e.name, e.title, e.description, null, e.category, true, e.retried, at, at
  from jsonb_to_recordset($1::jsonb) as e(name text, title text, description text, category text, retried boolean),
    to_timestamp($2 / 1000.0) as at
  on conflict on constraint error_name_key do update
    set title = excluded.title, description = excluded.description, category = excluded.category,
      should_be_retried = excluded.should_be_retried, last_modified = excluded.last_modified
    where (error.title, error.description, error.category, error.should_be_retried)
      is distinct from (excluded.title, excluded.description, excluded.category, excluded.should_be_retried)`;

// An unchanged type is left alone; a system type has only its first revision.
const TYPE = /* sql */ `
  with made as (
    insert into job_type (name, version, title, description, icon_code, is_system, max_tries, container_image,
      configuration, tags, created, last_modified)
    select $1, $2, $3, $4, $5, true, $6, 'millrace', jsonb_build_object('priority', $7::int), '{system}', at, at
    from to_timestamp($9 / 1000.0) as at
    on conflict on constraint job_type_name_version_key do nothing
    returning id, created)
  insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
  select id, 1, 'millrace', $8, created from made`;

/** Earlier versions of this program may have stored another manifest. */
const MANIFEST = /* sql */ `
  update job_type_rev rev set manifest = $3::jsonb
  from job_type type
  where type.name = $1 and type.version = $2 and type.is_system and rev.job_type_id = type.id
    and rev.manifest <> $3::jsonb`;

/** Idempotent; several coordinators may start at once. */
export async function ensureBuiltins(sql: Sql, nowMs: number): Promise<void> {
  const errors = BUILTIN_ERRORS.map((error) => ({ ...error, retried: error.shouldBeRetried }));
  await sql.execute(ERROR, [JSON.stringify(errors), nowMs]);
  for (const type of Object.values(SYSTEM_JOB_TYPES)) {
    const { name, title, description, iconCode, maxTries, priority } = type;
    const manifest = JSON.stringify(manifestOf(type));
    await sql.execute(TYPE, [
      name,
      VERSION,
      title,
      description,
      iconCode,
      maxTries,
      priority,
      manifest,
      nowMs,
    ]);
    await sql.execute(MANIFEST, [name, VERSION, manifest]);
  }
}

/** The manifest with its defaults filled in, as all stored manifests are. */
function manifestOf(type: SystemJobType): Record<string, unknown> {
  return {
    seedVersion: '1.0.0',
    job: {
      name: type.name,
      jobVersion: VERSION,
      packageVersion: VERSION,
      title: type.title,
      description: type.description,
      tags: ['system'],
      maintainer: { name: 'Millrace', email: 'noreply@example.com' },
      timeout: 0,
      resources: { scalar: [] },
      interface: {
        command: '',
        inputs: { files: [], json: type.inputs.map((input) => ({ ...input, required: true })) },
        outputs: { files: [], json: [] },
        mounts: [],
        settings: [],
      },
      errors: [],
    },
  };
}
