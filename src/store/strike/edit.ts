/** A strike's first rows: itself, its system job in the queue, and the event; its actor takes over from there. */

import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { type AlsoSave, creating } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import type { Sql } from '../sql/sql.ts';

export interface NewStrike {
  readonly title: string;
  readonly description: string;
  /** Validated. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly workspaceId: number;
  readonly nowMs: number;
}

const IDS = /* sql */ `
  select nextval('strike_id_seq') as strike_id, nextval('job_id_seq') as job_id, nextval('event_id_seq') as event_id`;

const EVENT = /* sql */ `
  insert into event (id, type, occurred, description)
  values ($1, 'STRIKE_CREATED', to_timestamp($2 / 1000.0), jsonb_build_object('strike_id', $3::bigint))`;

const JOB = /* sql */ `
  insert into job (id, shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status, num_exes,
    max_tries, priority, input, created, queued, last_status_change, last_modified)
  select $1, $2::bigint % 64, 'strike', $2, type.id, rev.id, $3, 'QUEUED', 1, type.max_tries, $4,
    jsonb_build_object('files', '{}'::jsonb, 'json', jsonb_build_object('STRIKE_ID', $2::bigint)), at, at, at, at
  from to_timestamp($6 / 1000.0) as at, job_type as type
  join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
  where type.name = $5 and type.is_system`;

const STRIKE = /* sql */ `
  insert into strike (id, shard, name, title, description, configuration, workspace_id, job_id, created,
    last_modified)
  select $1, $1::bigint % 64, $2, $3, $4, $5, $6, $7, at, at from to_timestamp($8 / 1000.0) as at`;

/** Resolves with its id; whoever calls wakes `strike/<id>`. */
export function createStrike(sql: Sql, strike: NewStrike, also?: AlsoSave<number>): Promise<number> {
  const { title, description, configuration, workspaceId, nowMs } = strike;
  const { name: typeName, priority } = SYSTEM_JOB_TYPES.strike;
  return insertNamed({
    title,
    stem: 'strike',
    constraint: 'strike_name_key',
    insert: (name) =>
      creating(sql, also, (inside) =>
        inside.transaction(async (tx) => {
          const [ids] = await tx.execute<{ strike_id: number; job_id: number; event_id: number }>(IDS);
          const { strike_id, job_id, event_id } = ids as NonNullable<typeof ids>;
          await tx.execute(EVENT, [event_id, nowMs, strike_id]);
          await tx.execute(JOB, [job_id, strike_id, event_id, priority, typeName, nowMs]);
          const document = JSON.stringify(configuration);
          await tx.execute(STRIKE, [
            strike_id,
            name,
            title,
            description,
            document,
            workspaceId,
            job_id,
            nowMs,
          ]);
          return strike_id;
        }),
      ),
  });
}
