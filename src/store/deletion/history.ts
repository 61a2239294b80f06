/** Whether records of the past refer to a deleted record, and its removal if none do. Nothing new can refer to it. */
import { removeJobs } from '../retention/row-removal.ts';
import type { Sql } from '../sql/sql.ts';
import type { DeletableKind, Named } from './kinds.ts';

const moves = (alias: string) => `jsonb_path_exists(${alias}.configuration->'files_to_ingest',
  '$[*].new_workspace ? (@ == $name)', jsonb_build_object('name', $2::text))`;
const stores = `jsonb_path_exists(t.configuration->'output_workspaces', '$.** ? (@ == $name)',
  jsonb_build_object('name', $2::text))`;
const mentions = (path: string, variables: string) =>
  `select from recipe_type_rev rev where rev.recipe_type_id <> $1
     and jsonb_path_exists(rev.definition->'nodes', '$.*.node_type ? (${path})', ${variables})`;
const counted = (kind: string, typeId: string) =>
  `select from daily_start where kind = '${kind}' and type_id ${typeId}
   union all select from daily_start_delta where kind = '${kind}' and type_id ${typeId}`;
const ranOf = (jobs: string, kind: 'strike' | 'scan') =>
  `select from ${kind} s join job_exe e on e.job_id in (${jobs}) where s.id = $1`;

/** `$1`: the id, `$2`: the name, `$3`: the version. */
const HISTORY: Readonly<Record<DeletableKind, readonly string[]>> = {
  workspace: [
    // Its marker stays in its directory or bucket, which no workspace with another uuid can claim.
    'select from workspace where id = $1 and claimed_node_id is not null',
    `select from strike s where s.workspace_id = $1 or ${moves('s')}`,
    `select from scan s where s.workspace_id = $1 or ${moves('s')}`,
    `select from job_type t where ${stores}`,
    `select from job_type_former_configuration t where ${stores}`,
    'select from tombstone where workspace_id = $1',
    'select from purge where workspace_id = $1',
    'select from ingest where workspace_id = $1 or new_workspace_id = $1',
    'select from file where workspace_id = $1',
  ],
  strike: ['select from ingest where strike_id = $1', ranOf('s.job_id', 'strike')],
  scan: ['select from ingest where scan_id = $1', ranOf('s.job_id, s.dry_run_job_id', 'scan')],
  dataset: [`select from batch where definition->>'dataset' = $1::text`],
  batch: [
    'select from batch where (root_batch_id = $1 or superseded_batch_id = $1) and id <> $1',
    'select from recipe where batch_id = $1',
    'select from job where batch_id = $1',
    'select from job where live_batch_id = $1',
    'select from file where batch_id = $1',
  ],
  job_type: [
    'select from job where job_type_id = $1',
    'select from file where job_type_id = $1',
    'select from recipe_type_job_type where job_type_id = $1',
    mentions(
      '@.job_type_name == $name && @.job_type_version == $version',
      `jsonb_build_object('name', $2::text, 'version', $3::text)`,
    ).replace('rev.recipe_type_id <> $1', 'true'),
    `select from type_update where kind = 'job' and type_id = $1`,
    'select from job_outcome where job_type_id = $1',
    'select from load_sample where job_type_id = $1',
    counted('job', '= $1'),
  ],
  recipe_type: [
    'select from recipe where recipe_type_id = $1',
    'select from batch where recipe_type_id = $1',
    'select from recipe_type_sub_type where sub_recipe_type_id = $1',
    mentions('@.recipe_type_name == $name', `jsonb_build_object('name', $2::text)`),
    `select from strike s where s.configuration->'recipe'->>'name' = $2`,
    `select from scan s where s.configuration->'recipe'->>'name' = $2`,
    `select from type_update where kind = 'recipe' and type_id = $1`,
    'select from type_update_member where recipe_type_id = $1',
    counted('recipe', 'in (select id from recipe_type_rev where recipe_type_id = $1)'),
  ],
};

/** Deleted strikes and scans count: they may come back. */
export async function hasHistory(sql: Sql, { kind, id, name, version }: Named): Promise<boolean> {
  // Each source is searched only if those before it have nothing.
  const any = HISTORY[kind].map((text) => `exists (${text})`).join('\n or ');
  const [row] = await sql.execute<{ found: boolean }>(
    `select ($2::text is null or $3::text is null or ${any}) as found`,
    [id, name, version],
  );
  return row?.found === true;
}

/** Rows that belong only to the record, in the order that foreign keys require. `$1`: its id. */
const OWN_ROWS: Readonly<Record<DeletableKind, readonly string[]>> = {
  workspace: [
    'delete from node_workspace where workspace_id = $1',
    `delete from client_spelling where kind = 'workspace' and record_id = $1`,
  ],
  strike: [`delete from client_spelling where kind = 'strike' and record_id = $1`],
  scan: [`delete from client_spelling where kind = 'scan' and record_id = $1`],
  dataset: [
    'delete from dataset_file where dataset_id = $1',
    'delete from dataset_member where dataset_id = $1',
  ],
  batch: ['delete from batch_count where batch_id = $1', 'delete from batch_count_delta where batch_id = $1'],
  job_type: [
    'delete from job_type_former_configuration where job_type_id = $1',
    'delete from scheduling_class where job_type_id = $1',
    'delete from job_type_rev where job_type_id = $1',
    `delete from error e using job_type t
     where t.id = $1 and e.job_type_name = t.name and not e.is_builtin
       and not exists (select from job_type other where other.name = t.name and other.id <> t.id)`,
  ],
  recipe_type: [
    'delete from recipe_type_job_type where recipe_type_id = $1',
    'delete from recipe_type_sub_type where recipe_type_id = $1',
    'delete from recipe_type_rev where recipe_type_id = $1',
  ],
};

const LEFT_BEHIND: Readonly<Record<DeletableKind, string>> = {
  workspace: '',
  strike: 'job_id as "jobIds"',
  scan: 'array[job_id, dry_run_job_id] as "jobIds"',
  dataset: '',
  batch: 'event_id as "eventId"',
  job_type: '',
  recipe_type: '',
};

const EVENT = /* sql */ `
  delete from event where id = $1 and not exists (select from recipe where event_id = $1)   -- = recipe_event_idx
    and not exists (select from batch where event_id = $1)
    and not exists (select from diagnostic_run where event_id = $1)`;

/** Ingests, which have no foreign keys to these: `$1` is the record. */
const INGESTS_OF: Partial<Record<DeletableKind, string>> = {
  workspace: 'select from ingest where workspace_id = $1 limit 1',
  strike: 'select from ingest where strike_id = $1 limit 1',
  scan: 'select from ingest where scan_id = $1 limit 1',
};

/**
 * Removes the rows of a deleted record. Nothing is removed if it was brought back meanwhile. It stays hidden if it was
 * then used and deleted once more: what it has found is looked at behind its lock, and a deleted record finds nothing.
 */
export function removeRows(
  sql: Sql,
  { kind, id }: Pick<Named, 'kind' | 'id'>,
): Promise<'hidden' | 'removed'> {
  return sql.transaction(async (tx) => {
    await tx.execute('delete from deletion_under_way where kind = $1 and record_id = $2', [kind, id]);
    const locked = await tx.execute(`select from ${kind} where id = $1 and deleted is not null for update`, [
      id,
    ]);
    if (locked.length === 0) return 'removed';
    const ingests = INGESTS_OF[kind];
    if (ingests !== undefined && (await tx.execute(ingests, [id])).length > 0) return 'hidden';
    for (const text of OWN_ROWS[kind]) await tx.execute(text, [id]);
    const left = LEFT_BEHIND[kind] === '' ? 'id' : LEFT_BEHIND[kind];
    const [row] = await tx.execute<{ jobIds?: number | number[]; eventId?: number }>(
      `delete from ${kind} where id = $1 returning ${left}`,
      [id],
    );
    if (row?.jobIds !== undefined) await removeJobs(tx, [row.jobIds].flat());
    if (row?.eventId !== undefined) await tx.execute(EVENT, [row.eventId]);
    return 'removed';
  });
}
