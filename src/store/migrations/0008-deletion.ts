// Deleted records that have a history stay as rows with the time of their deletion: other records show their summaries,
// and a create with their name restores them. In the stream of changes a deletion is a removal, and a restoration is a
// creation. Other writes to a deleted row are not in the stream.

import { inRow, KINDS, type Kind, whatOf } from './0002-object-changes.ts';
import { itemOf } from './0004-cheaper-object-changes.ts';
import { LABELED } from './0006-labels.ts';

export const name = '0008-deletion';

/** Deleted types and workspaces are not active, and deleted strikes are paused: an older coordinator starts nothing. */
export const isBreaking = false;

const DELETABLE = ['workspace', 'strike', 'scan', 'dataset', 'batch', 'job_type', 'recipe_type'];

function deletable(kind: Kind): string {
  const { table, raisedBy } = kind;
  const columns = [...raisedBy, ...(LABELED.includes(table) ? ['labels'] : []), 'deleted'];
  const isChanged = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  const statusOf = (row: 'n' | 'o') =>
    kind.status === undefined ? null : `case when ${row}.deleted is null then ${inRow(row, kind.status)} end`;
  const what = `case when o.deleted is null and n.deleted is not null then 'removed'
    when o.deleted is not null and n.deleted is null then 'created' else ${whatOf(kind)} end`;
  const tell = (event: string, item: string, rows: string) => `
create or replace function tell_${table}_${event}() returns trigger language plpgsql set enable_hashjoin = on as $$
begin
  insert into object_change (kind, items)
  select '${kind.kind}', '[' || string_agg(${item}, ',') || ']' from ${rows}
  having count(*) > 0;
  return null;
end $$;`;
  const from = statusOf('o');
  return [
    `
alter table ${table} add column deleted timestamptz;`,
    tell(
      'update',
      itemOf(kind, 'n', ['n.object_version', what, from, statusOf('n')]),
      `added n join removed o on o.id = n.id and o.object_version <> n.object_version
    and (o.deleted is null or n.deleted is null)`,
    ),
    tell(
      'delete',
      itemOf(kind, 'o', ['o.object_version + 1', `'removed'`, from, null]),
      'removed o where o.deleted is null',
    ),
    `
create or replace trigger ${table}_version before update on ${table} for each row
  when (old.object_version = new.object_version and (${isChanged})) execute function raise_object_version();`,
  ].join('');
}

/** Guards check whether a record that a job, strike or scan names is deleted. */
const DELETED = ['workspace', 'recipe_type'].map(
  (table) => `create index ${table}_deleted_idx on ${table} (id) where (deleted is not null);`,
);

/** Finds files that are superseded and not deleted; file_path_key finds the others. */
const SUPERSEDED_FILES = /* sql */ `
create index file_superseded_workspace_idx on file (workspace_id) where (is_superseded and not is_deleted);`;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  ...KINDS.filter(({ table }) => DELETABLE.includes(table)).map(deletable),
  ...DELETED,
  SUPERSEDED_FILES,
];
