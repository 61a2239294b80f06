// Trials of job types. The row of a trial is hidden from the start, like that of a deleted type, and is removed with
// its job and its products an hour later. The purge of a trial has no workspace, and the negative id of the job type
// instead of a file's id. The stream of changes shows neither the type nor the purge, only the job, its execution and
// its products.

import { inRow, KINDS, whatOf } from './0002-object-changes.ts';
import { itemOf } from './0004-cheaper-object-changes.ts';

export const name = '0014-trials';

/** A coordinator of the previous schema runs trials as it runs any job, and lists and counts them. */
export const isBreaking = false;

const tell = (table: string, event: string, settings: string, item: string, rows: string) => `
create or replace function tell_${table}_${event}() returns trigger language plpgsql set enable_hashjoin = on${settings} as $$
begin
  insert into object_change (kind, items)
  select '${table}', '[' || string_agg(${item}, ',') || ']' from ${rows}
  having count(*) > 0;
  return null;
end $$;`;

const statements = KINDS.flatMap((kind) => {
  const { table, status } = kind;
  const statusOf = (row: 'n' | 'o') => (status === undefined ? null : inRow(row, status));
  const created = itemOf(kind, 'n', ['n.object_version', `'created'`, null, statusOf('n')]);
  if (table === 'job_type') return [tell(table, 'insert', '', created, 'added n where n.deleted is null')];
  if (table !== 'purge') return [];
  const changed = itemOf(kind, 'n', ['n.object_version', whatOf(kind), statusOf('o'), statusOf('n')]);
  const removed = itemOf(kind, 'o', ['o.object_version + 1', `'removed'`, statusOf('o'), null]);
  return [
    tell(table, 'insert', '', created, 'added n where n.workspace_id is not null'),
    tell(
      table,
      'update',
      ' set enable_nestloop = off',
      changed,
      `added n join removed o on o.id = n.id and o.object_version <> n.object_version
    where n.workspace_id is not null`,
    ),
    tell(table, 'delete', '', removed, 'removed o where o.workspace_id is not null'),
  ];
});

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
alter table job_type
  -- null: not a trial
  add column expires timestamptz,
  -- the account; 0 where nobody has to log in
  add column tried_by bigint,
  add constraint job_type_trial_check check ((expires is null) = (tried_by is null)
    and (expires is null or deleted is not null));
create index job_type_trial_idx on job_type (id) where (expires is not null);
alter table purge alter column workspace_id drop not null;`,
  ...statements,
];
