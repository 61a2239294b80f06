/** Read models of ingests: list and details. */
import type { IngestStatus } from '../../domain/ingest/ingest.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import { SOURCE_FILE_RECORD, URL_KEY } from '../file/list.ts';
import { COUNTED_INGESTS } from '../metrics/list-counts.ts';
import { inactiveText, isReached, unreachedText } from '../node/reach.ts';
import { countedBySpans } from '../sql/counted.ts';
import { type Expression, expression, idOrNull, nestedOrder, object, orNull, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';
import { workspaceOrder, workspaceSummary, workspaceWithConfiguration } from '../workspace/list.ts';

export interface IngestFilter {
  readonly range: MsRange;
  readonly status: readonly string[];
  readonly scan_id: readonly number[];
  readonly strike_id: readonly number[];
  /** Part of the name; case matters. */
  readonly file_name: string | undefined;
}

const STRIKE_JOIN = 'left join strike s on s.id = i.strike_id';
const SCAN_JOIN = 'left join scan sc on sc.id = i.scan_id';
const WORKSPACE_JOIN = 'join workspace w on w.id = i.workspace_id';
const NEW_WORKSPACE_JOIN = 'left join workspace nw on nw.id = i.new_workspace_id';
const FILE_JOIN = `left join (file f join workspace f_workspace on f_workspace.id = f.workspace_id)
  on f.id = i.source_file_id`;
const JOINS = `${STRIKE_JOIN} ${SCAN_JOIN} ${WORKSPACE_JOIN} ${NEW_WORKSPACE_JOIN} ${FILE_JOIN}`;

const TRANSFER = ['transfer_started', 'transfer_ended'] as const;
const REST = ['ingest_started', 'ingest_ended'] as const;
const LAST = ['data_started', 'data_ended', 'created', 'last_modified'] as const;
const i = row('ingest', 'i');
const s = row('strike', 's');
const sc = row('scan', 'sc');

const STRIKE = {
  ...s.columns('id', 'name', 'title', 'description'),
  job: object({ id: s.column('job_id') }),
};

const SCAN = {
  ...sc.columns('id', 'name', 'title', 'description'),
  job: object({ id: sc.column('job_id') }),
  dry_run_job: object({ id: sc.column('dry_run_job_id') }),
};

const WORKSPACES = 'array_remove(array[i.workspace_id, i.new_workspace_id], null)';
/** Why an ingest whose file has arrived still waits. */
const WAITS = `case when i.status = 'TRANSFERRED' and not (w.is_active and ${isReached('w.id')}
    and (nw.id is null or nw.is_active and ${isReached('nw.id')}))
  then coalesce(${inactiveText(WORKSPACES)},
    ${unreachedText(WORKSPACES, 'it waits until a node reaches its workspaces', 'its workspaces')}) end`;
/** Relies on `INGEST_JOINS`. */
export const INGEST_REASON = `coalesce(i.reason, ${WAITS})`;
/** The workspaces of the ingest behind `i`. */
export const INGEST_JOINS = `${WORKSPACE_JOIN} ${NEW_WORKSPACE_JOIN}`;

interface Nested<Scan, Strike, Workspace> {
  readonly scan: Expression<Scan>;
  readonly strike: Expression<Strike>;
  readonly workspace: (alias: string) => Expression<Workspace>;
}

function fieldsOf<Scan, Strike, Workspace>({ scan, strike, workspace }: Nested<Scan, Strike, Workspace>) {
  return {
    ...i.columns('id', 'object_version', 'file_name'),
    scan: orNull('sc.id', scan),
    strike: orNull('s.id', strike),
    status: i.oneOf<IngestStatus>('status'),
    reason: expression<string | null>(INGEST_REASON),
    ...i.columns('bytes_transferred'),
    ...i.instants(...TRANSFER),
    ...i.columns('media_type', 'file_size', 'data_type_tags', 'file_path'),
    workspace: workspace('w'),
    ...i.columns('new_file_path'),
    new_workspace: orNull('nw.id', workspace('nw')),
    job: idOrNull(i.column('job_id')),
    ...i.instants(...REST),
    source_file: SOURCE_FILE_RECORD,
    ...i.instants(...LAST),
  };
}

const f = row('file', 'f');
const SOURCE_FILE_ORDER = {
  ...f.order('uuid', 'file_size', 'is_deleted', 'created', 'deleted', 'data_started', 'data_ended'),
  ...f.order('last_modified', 'is_parsed', 'parsed'),
  ...f.textOrder('file_name', 'file_type', 'media_type', 'file_path', 'geometry', 'center_point'),
  url: { by: `case when f.id is not null then ${URL_KEY} end` },
  workspace__id: { by: 'f.workspace_id' },
  workspace__name: { by: 'lower(f_workspace.name)' },
};
const SCAN_ORDER = {
  ...sc.textOrder('name', 'title', 'description'),
  job__id: { by: 'sc.job_id' },
  dry_run_job__id: { by: 'sc.dry_run_job_id' },
};
const STRIKE_ORDER = { ...s.textOrder('name', 'title', 'description'), job__id: { by: 's.job_id' } };

const INGESTS = {
  rows: i,
  counted: [COUNTED_INGESTS],
  countedBySpans: countedBySpans('ingest', 'i'),
  joins: JOINS,
  fields: fieldsOf({ scan: object(SCAN), strike: object(STRIKE), workspace: workspaceSummary }),
  order: {
    ...i.order('id', 'status', 'bytes_transferred', 'file_size', ...TRANSFER, ...REST, ...LAST),
    ...i.textOrder('file_name', 'media_type', 'file_path', 'new_file_path'),
    reason: { by: `lower(${INGEST_REASON})`, join: INGEST_JOINS },
    ...nestedOrder('scan', 'i.scan_id', SCAN_JOIN, SCAN_ORDER),
    ...nestedOrder('strike', 'i.strike_id', STRIKE_JOIN, STRIKE_ORDER),
    ...workspaceOrder('workspace', 'i.workspace_id', 'w', WORKSPACE_JOIN),
    ...workspaceOrder('new_workspace', 'i.new_workspace_id', 'nw', NEW_WORKSPACE_JOIN),
    job__id: { by: 'i.job_id' },
    ...nestedOrder('source_file', 'i.source_file_id', FILE_JOIN, SOURCE_FILE_ORDER),
  },
};

export const listIngests = listOf(INGESTS, (where, filter: IngestFilter) => {
  where.range(filter.range, 'i.last_modified');
  where.anyOf('i.status', 'text', filter.status);
  where.anyOf('i.scan_id', 'bigint', filter.scan_id);
  where.anyOf('i.strike_id', 'bigint', filter.strike_id);
  if (filter.file_name !== undefined) {
    const part = `i.file_name like ${where.param(`%${filter.file_name.replace(/[\\%_]/g, '\\$&')}%`)}`;
    // Names are indexed for ended ingests; unfinished ones have no end (= ingest_unfinished_idx).
    where.add(`(i.status in ('DEFERRED', 'INGESTED', 'ERRORED', 'DUPLICATE') and ${part}
      or i.ingest_ended is null and ${part})`);
  }
});

const DETAILS = object(
  fieldsOf({
    scan: object({ ...SCAN, ...sc.columns('configuration') }),
    strike: object({ ...STRIKE, ...s.columns('configuration') }),
    workspace: workspaceWithConfiguration,
  }),
);

/** With the configurations as stored. Undefined if there is no such ingest. */
export function findIngest(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, `ingest i ${JOINS} where i.id = $1`, [id]);
}
