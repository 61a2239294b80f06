/** Read models of ingests: list and details. */

import { SOURCE_FILE_RECORD, URL_KEY } from '../file/list.ts';
import { COUNTED_INGESTS } from '../metrics/list-counts.ts';
import { inactiveText, isReached, unreachedText } from '../node/reach.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  nestedOrder,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { workspaceOrder } from '../sql/record-order.ts';
import { columns, instants, object, objectIf } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { workspaceSummary, workspaceWithConfiguration } from '../workspace/list.ts';

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

const TRANSFER = ['transfer_started', 'transfer_ended'];
const REST = ['ingest_started', 'ingest_ended'];
const LAST = ['data_started', 'data_ended', 'created', 'last_modified'];
const STRIKE = {
  ...columns('s', ['id', 'name', 'title', 'description']),
  job: object({ id: 's.job_id' }),
};

const SCAN = {
  ...columns('sc', ['id', 'name', 'title', 'description']),
  job: object({ id: 'sc.job_id' }),
  dry_run_job: object({ id: 'sc.dry_run_job_id' }),
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

/** `more`: additional fields of the strike or scan. */
function recordOf(
  more: (alias: string) => Record<string, string>,
  workspace: (alias: string) => string,
): string {
  return object({
    ...columns('i', ['id', 'file_name']),
    scan: objectIf('sc.id', { ...SCAN, ...more('sc') }),
    strike: objectIf('s.id', { ...STRIKE, ...more('s') }),
    status: 'i.status',
    reason: INGEST_REASON,
    bytes_transferred: 'i.bytes_transferred',
    ...instants('i', TRANSFER),
    ...columns('i', ['media_type', 'file_size', 'data_type_tags', 'file_path']),
    workspace: workspace('w'),
    new_file_path: 'i.new_file_path',
    new_workspace: workspace('nw'),
    job: objectIf('i.job_id', { id: 'i.job_id' }),
    ...instants('i', REST),
    source_file: SOURCE_FILE_RECORD,
    ...instants('i', LAST),
  });
}

const NAMES = ['name', 'title', 'description'];
const SOURCE_FILE = { alias: 'f', join: FILE_JOIN };

const INGESTS: ListShape = {
  from: 'ingest i',
  counted: [COUNTED_INGESTS],
  id: 'i.id',
  joins: JOINS,
  record: recordOf(() => ({}), workspaceSummary),
  order: {
    ...plainOrder('i', ['id', 'bytes_transferred', 'file_size', ...TRANSFER, ...REST, ...LAST]),
    status: { by: 'i.status' },
    ...textOrder('i', ['file_name', 'media_type', 'file_path', 'new_file_path']),
    reason: { by: `lower(${INGEST_REASON})`, join: INGEST_JOINS },
    ...nestedOrder('scan', { alias: 'sc', join: SCAN_JOIN }, { texts: NAMES }),
    scan__id: { by: 'i.scan_id' },
    scan__job__id: { by: 'sc.job_id', join: SCAN_JOIN },
    scan__dry_run_job__id: { by: 'sc.dry_run_job_id', join: SCAN_JOIN },
    ...nestedOrder('strike', { alias: 's', join: STRIKE_JOIN }, { texts: NAMES }),
    strike__id: { by: 'i.strike_id' },
    strike__job__id: { by: 's.job_id', join: STRIKE_JOIN },
    ...workspaceOrder('workspace', 'i.workspace_id', { alias: 'w', join: WORKSPACE_JOIN }),
    ...workspaceOrder('new_workspace', 'i.new_workspace_id', { alias: 'nw', join: NEW_WORKSPACE_JOIN }),
    job__id: { by: 'i.job_id' },
    ...nestedOrder('source_file', SOURCE_FILE, {
      values: [
        ...['uuid', 'file_size', 'is_deleted', 'created', 'deleted', 'data_started', 'data_ended'],
        ...['last_modified', 'is_parsed', 'parsed'],
      ],
      texts: ['file_name', 'file_type', 'media_type', 'file_path', 'geometry', 'center_point'],
    }),
    source_file__id: { by: 'i.source_file_id' },
    source_file__url: { by: `case when f.id is not null then ${URL_KEY} end`, join: FILE_JOIN },
    source_file__workspace__id: { by: 'f.workspace_id', join: FILE_JOIN },
    source_file__workspace__name: { by: 'lower(f_workspace.name)', join: FILE_JOIN },
  },
};
export function listIngests<R extends object>(
  sql: Sql,
  filter: IngestFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'i.last_modified');
  conditions.anyOf('i.status', 'text', filter.status);
  conditions.anyOf('i.scan_id', 'bigint', filter.scan_id);
  conditions.anyOf('i.strike_id', 'bigint', filter.strike_id);
  if (filter.file_name !== undefined) {
    const part = `i.file_name like ${conditions.param(`%${filter.file_name.replace(/[\\%_]/g, '\\$&')}%`)}`;
    // Names are indexed for ended ingests; unfinished ones have no end (= ingest_unfinished_idx).
    conditions.add(`(i.status in ('DEFERRED', 'INGESTED', 'ERRORED', 'DUPLICATE') and ${part}
      or i.ingest_ended is null and ${part})`);
  }
  return listRecords(sql, INGESTS, conditions, order, page);
}

const DETAILS = recordOf(
  (alias) => ({ configuration: `${alias}.configuration` }),
  workspaceWithConfiguration,
);

/** With the configurations as stored. Undefined if there is no such ingest. */
export async function findIngest<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const text = `select ${DETAILS} as record from ingest i ${JOINS} where i.id = $1`;
  const rows = await sql.execute<{ record: R }>(text, [id]);
  return rows[0]?.record;
}
