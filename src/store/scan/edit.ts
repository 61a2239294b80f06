/** A scan's first rows: itself, its two system jobs, which wait to be asked for, and their events. */

import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { type AlsoSave, creating } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import type { Sql } from '../sql/sql.ts';

export interface NewScan {
  readonly title: string;
  readonly description: string;
  /** Validated. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly workspaceId: number;
  readonly nowMs: number;
}

const IDS = /* sql */ `
  select nextval('scan_id_seq') as scan_id, nextval('job_id_seq') as job_id, nextval('job_id_seq') as dry_id,
    nextval('event_id_seq') as event_id, nextval('event_id_seq') as dry_event_id`;

interface Ids {
  readonly scan_id: number;
  readonly job_id: number;
  readonly dry_id: number;
  readonly event_id: number;
  readonly dry_event_id: number;
}

const EVENTS = /* sql */ `
  insert into event (id, type, occurred, description)
  select e.id, e.type, to_timestamp($4 / 1000.0), jsonb_build_object('scan_id', $3::bigint)
  from (values ($1::bigint, 'SCAN_CREATED'), ($2::bigint, 'DRY_RUN_SCAN_CREATED')) as e(id, type)`;

const JOBS = /* sql */ `
  insert into job (id, shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status, num_exes,
    max_tries, priority, input, created, last_status_change, last_modified)
  select new.id, $5::bigint % 64, 'scan', $5, type.id, rev.id, new.event_id, 'PENDING', 0, type.max_tries, $6,
    jsonb_build_object('files', '{}'::jsonb,
      'json', jsonb_build_object('SCAN_ID', $5::bigint, 'DRY_RUN', new.is_dry)), at, at, at
  from to_timestamp($8 / 1000.0) as at,
    (values ($1::bigint, $3::bigint, false), ($2::bigint, $4::bigint, true)) as new(id, event_id, is_dry),
    job_type as type
  join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
  where type.name = $7 and type.is_system`;

const SCAN = /* sql */ `
  insert into scan (id, shard, name, title, description, configuration, workspace_id, job_id, dry_run_job_id,
    created, last_modified)
  select $1, $1::bigint % 64, $2, $3, $4, $5, $6, $7, $8, at, at from to_timestamp($9 / 1000.0) as at`;

/** Resolves with its id. Nothing is under way: no actor needs to know. */
export function createScan(sql: Sql, scan: NewScan, also?: AlsoSave<number>): Promise<number> {
  const { title, description, configuration, workspaceId, nowMs } = scan;
  const { name: typeName, priority } = SYSTEM_JOB_TYPES.scan;
  return insertNamed({
    title,
    stem: 'scan',
    constraint: 'scan_name_key',
    insert: (name) =>
      creating(sql, also, (inside) =>
        inside.transaction(async (tx) => {
          const [ids] = await tx.execute<Ids>(IDS);
          const { scan_id, job_id, dry_id, event_id, dry_event_id } = ids as Ids;
          await tx.execute(EVENTS, [event_id, dry_event_id, scan_id, nowMs]);
          const jobs = [job_id, dry_id, event_id, dry_event_id];
          await tx.execute(JOBS, [...jobs, scan_id, priority, typeName, nowMs]);
          const document = JSON.stringify(configuration);
          const fields = [scan_id, name, title, description, document, workspaceId, job_id, dry_id, nowMs];
          await tx.execute(SCAN, fields);
          return scan_id;
        }),
      ),
  });
}
