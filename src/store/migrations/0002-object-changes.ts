// The stream of changes. Triggers raise the version of an object in the write that changes it, and add one row for the
// objects that a statement changed, in the same transaction and for every sender. So no transaction can change an
// object without an entry in the stream. Positions are given afterwards (change_tick, src/store/change/ticks.ts). Not
// breaking: the triggers also record the changes of an older coordinator.
//
// A statement's row is numbered by a sequence after the statement has locked its objects: of two transactions that
// change the same object, the later one has the higher number. Rows that become visible at the same time are ordered by
// it.

export const name = '0002-object-changes';

export const isBreaking = false;

/** Transactions of one partition. */
export const CHANGE_PARTITION = 65_536;

const TABLES = /* sql */ `
create sequence object_change_id_seq;
create table object_change (
  xid xid8 not null default pg_current_xact_id(),
  id bigint not null default nextval('object_change_id_seq'),
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  -- for each object: id, version, what, from, to, and the ids that it hangs on, in the order of its kind
  items text not null,
  primary key (xid, id)
) partition by range (xid);
create table object_change_default partition of object_change default;

-- Its one row: where the stream is. A client's cursor holds the epoch, which is another one where the database's own
-- history is another: of a restored database, or one that was promoted.
create table change_stream (
  id smallint primary key default 1 check (id = 1),
  epoch text not null default '',
  -- the cluster, its timeline and this table, as they were when the epoch began
  identity text not null default '',
  tick bigint not null default 0,
  snapshot pg_snapshot not null default pg_current_snapshot(),
  -- ticks up to this one are gone
  floor bigint not null default 0
);
insert into change_stream default values;
-- What became visible between two snapshots, which is what one tick gives positions to.
create table change_tick (
  tick bigint primary key,
  before pg_snapshot not null,
  snapshot pg_snapshot not null,
  at timestamptz not null default clock_timestamp()
);

create function raise_object_version() returns trigger language plpgsql as $$
begin
  new.object_version := old.object_version + 1;
  return new;
end $$;
`;

/** A kind of object whose changes are in the stream. In expressions, `%` stands for the alias of the row. */
export interface Kind {
  readonly kind: string;
  readonly table: string;
  /** Columns. An update of one of them is a change of the object. */
  readonly raisedBy: readonly string[];
  readonly status?: string;
  /** Names of updates that keep the status and are more than an edit, each with its condition. */
  readonly events?: Readonly<Record<string, string>>;
  /** Expressions of the ids of the objects that it belongs to. */
  readonly links: readonly string[];
}

const SOURCE = ['started', 'ended', 'sensor_class', 'sensor', 'collection', 'task'].map(
  (column) => `source_${column}`,
);
const ACTIVE = `case when %.is_active then 'ACTIVE' else 'INACTIVE' end`;
const SUPERSEDED = { superseded: 'n.is_superseded and not o.is_superseded' };

const WORK: readonly Kind[] = [
  {
    ...{ kind: 'file', table: 'file' },
    raisedBy: ['last_modified', 'is_deleted', 'is_published', 'is_superseded', 'is_parsed'],
    events: {
      deleted: 'n.is_deleted and not o.is_deleted',
      ...SUPERSEDED,
      published: 'n.is_published and not o.is_published',
      unpublished: 'o.is_published and not n.is_published',
    },
    links: ['%.job_id', '%.recipe_id', '%.batch_id', '%.job_type_id', '%.recipe_type_id', '%.workspace_id'],
  },
  {
    ...{ kind: 'ingest', table: 'ingest', status: '%.status' },
    raisedBy: [
      ...['status', 'job_id', 'arrival', 'source_file_id', 'reason', 'new_workspace_id', 'new_file_path'],
      ...['ingest_started', 'data_started', 'data_ended'],
    ],
    links: ['%.strike_id', '%.scan_id', '%.job_id', '%.workspace_id', '%.source_file_id'],
  },
  {
    ...{ kind: 'job', table: 'job', status: '%.status' },
    raisedBy: [
      ...[
        'last_modified',
        'status',
        'num_exes',
        'reason',
        'is_superseded',
        'live_recipe_id',
        'live_batch_id',
      ],
      ...SOURCE,
    ],
    events: SUPERSEDED,
    links: [
      ...[
        'coalesce(%.live_recipe_id, %.recipe_id)',
        'coalesce(%.live_batch_id, %.batch_id)',
        '%.job_type_id',
      ],
      ...['%.node_id', '%.error_id', `case when %.owner_kind = 'strike' then %.owner_key end`],
      `case when %.owner_kind = 'scan' then %.owner_key end`,
    ],
  },
  {
    ...{ kind: 'execution', table: 'job_exe', status: '%.status' },
    raisedBy: ['status', 'error_id', 'reason'],
    links: ['%.job_id', '%.recipe_id', '%.batch_id', '%.job_type_id', '%.node_id', '%.error_id'],
  },
  {
    ...{ kind: 'recipe', table: 'recipe' },
    status: `case when %.is_completed then 'COMPLETED' else 'OPEN' end`,
    raisedBy: ['is_completed', 'is_superseded', 'input_file_size', ...SOURCE],
    events: SUPERSEDED,
    links: ['%.parent_id', '%.batch_id', '%.recipe_type_id', '%.ingest_id'],
  },
  {
    ...{ kind: 'condition', table: 'recipe_condition' },
    status: `case when not %.is_processed then 'PENDING' when %.is_accepted then 'ACCEPTED' else 'REJECTED' end`,
    raisedBy: ['is_processed', 'is_accepted'],
    links: ['%.recipe_id'],
  },
  {
    ...{ kind: 'batch', table: 'batch' },
    status: `case when %.is_creation_done then 'CREATED' else 'CREATING' end`,
    raisedBy: ['title', 'description', 'configuration', 'is_superseded', 'is_creation_done'],
    events: SUPERSEDED,
    links: ['%.recipe_type_id'],
  },
];

const STANDING: readonly Kind[] = [
  {
    ...{ kind: 'scan', table: 'scan', status: `coalesce(upper(%.run), 'IDLE')` },
    raisedBy: ['title', 'description', 'configuration', 'workspace_id', 'run', 'cancel_through', 'reason'],
    links: ['%.workspace_id', '%.job_id'],
  },
  {
    ...{ kind: 'strike', table: 'strike' },
    status: `case when %.is_paused then 'PAUSED' else 'ACTIVE' end`,
    raisedBy: ['title', 'description', 'configuration', 'workspace_id', 'is_paused'],
    links: ['%.workspace_id', '%.job_id'],
  },
  {
    ...{ kind: 'dataset', table: 'dataset', links: [] },
    raisedBy: ['title', 'description', 'definition'],
  },
  {
    ...{ kind: 'node', table: 'node', links: [] },
    status: `case when not %.is_active then 'INACTIVE' when not %.is_online then 'OFFLINE'
      when %.is_paused then 'PAUSED' else 'ONLINE' end`,
    raisedBy: [
      ...['hostname', 'agent_id', 'version', 'pause_reason', 'is_paused', 'is_active', 'is_online', 'labels'],
      ...['resources', 'executors', 'errors', 'warnings', 'host'],
    ],
  },
  {
    ...{ kind: 'job_type', table: 'job_type', links: [] },
    status: `case when not %.is_active then 'INACTIVE' when %.is_paused then 'PAUSED' else 'ACTIVE' end`,
    raisedBy: [
      ...['title', 'description', 'icon_code', 'is_published', 'is_active', 'is_paused', 'max_scheduled'],
      ...[
        'max_tries',
        'revision_num',
        'container_image',
        'unmet_resources',
        'configuration',
        'secrets',
        'tags',
      ],
    ],
  },
  {
    ...{ kind: 'recipe_type', table: 'recipe_type', status: ACTIVE, links: [] },
    raisedBy: ['title', 'description', 'is_active', 'revision_num', 'definition'],
  },
  {
    ...{ kind: 'workspace', table: 'workspace', status: ACTIVE, links: [] },
    raisedBy: ['title', 'description', 'base_url', 'is_active', 'configuration'],
  },
  {
    ...{ kind: 'purge', table: 'purge' },
    status: `case when %.phase = 'done' then 'COMPLETED' when %.reason is null then 'RUNNING' else 'WAITING' end`,
    raisedBy: ['phase', 'reason'],
    links: ['%.file_id', '%.workspace_id'],
  },
  {
    ...{ kind: 'scheduler', table: 'scheduler_settings', links: [] },
    status: `case when %.is_paused then 'PAUSED' else 'RUNNING' end`,
    raisedBy: ['is_paused', 'num_message_handlers', 'queue_mode', 'system_logging_level'],
  },
];

export const inRow = (row: 'n' | 'o', expression: string): string => expression.replaceAll('%', row);

export function whatOf({ status, events }: Kind): string {
  const moved =
    status === undefined ? '' : `when ${inRow('n', status)} <> ${inRow('o', status)} then 'status'`;
  const cases = Object.entries(events ?? {}).map(([what, condition]) => `when ${condition} then '${what}'`);
  const all = [moved, ...cases].filter((one) => one !== '');
  return all.length === 0 ? `'edited'` : `case ${all.join(' ')} else 'edited' end`;
}

export const KINDS = [...WORK, ...STANDING];

/** The functions turn hash joins on: the connections of commits have them off, and up to 500 rows are joined here. */
export function triggersOf(kind: Kind): string {
  const { table, status = 'null::text', links, raisedBy } = kind;
  const item = (row: 'n' | 'o', version: string, what: string, from: string, to: string) =>
    `json_build_array(${[`${row}.id`, version, what, from, to, ...links.map((link) => inRow(row, link))].join(', ')})`;
  const trigger = (event: string, referencing: string, items: string, rows: string) => `
create function tell_${table}_${event}() returns trigger language plpgsql set enable_hashjoin = on as $$
begin
  insert into object_change (kind, items)
  select '${kind.kind}', json_agg(${items})::text from ${rows}
  having count(*) > 0;
  return null;
end $$;
create trigger ${table}_tell_${event} after ${event} on ${table} referencing ${referencing}
  for each statement execute function tell_${table}_${event}();`;
  const created = item('n', 'n.object_version', `'created'`, 'null::text', inRow('n', status));
  const changed = item('n', 'n.object_version', whatOf(kind), inRow('o', status), inRow('n', status));
  const removed = item('o', 'o.object_version + 1', `'removed'`, inRow('o', status), 'null::text');
  const isRaised = raisedBy.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  return [
    `alter table ${table} add column object_version integer not null default 1;
create trigger ${table}_version before update on ${table} for each row when (${isRaised})
  execute function raise_object_version();`,
    trigger('insert', 'new table as added', created, 'added n'),
    trigger(
      'update',
      'old table as removed new table as added',
      changed,
      'added n join removed o on o.id = n.id and o.object_version <> n.object_version',
    ),
    trigger('delete', 'old table as removed', removed, 'removed o'),
  ].join('\n');
}

/**
 * A change of members is a change of the dataset. Datasets are locked in id order, as in the count of files: no
 * deadlock.
 */
function membersRaise(event: 'insert' | 'delete', rows: 'added' | 'removed'): string {
  return `
create function raise_dataset_member_${event}() returns trigger language plpgsql as $$
begin
  perform from dataset where id in (select dataset_id from ${rows}) order by id for no key update;
  update dataset set object_version = object_version + 1 where id in (select dataset_id from ${rows});
  return null;
end $$;
create trigger dataset_member_raise_${event} after ${event} on dataset_member
  referencing ${event === 'insert' ? 'new' : 'old'} table as ${rows}
  for each statement execute function raise_dataset_member_${event}();`;
}

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  TABLES,
  ...KINDS.map(triggersOf),
  membersRaise('insert', 'added'),
  membersRaise('delete', 'removed'),
];
