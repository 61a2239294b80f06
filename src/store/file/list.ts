/** Stored files: their record, lists, details with ancestors, and the places of their bytes. */
import type { FileFilter, InputFileFilter } from '../../domain/listing/filters.ts';
import { COUNTED_BATCH_FILES, COUNTED_FILES } from '../metrics/list-counts.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { batchOrder, jobTypeOrder, recipeTypeOrder } from '../sql/record-order.ts';
import {
  batchRef,
  columns,
  instants,
  jobTypeSummary,
  object,
  objectIf,
  recipeTypeSummary,
  sourceFields,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { workspaceRef } from '../workspace/list.ts';

/** Joins for the record of the file behind `f`. */
export const FILE_JOINS = `join workspace f_workspace on f_workspace.id = f.workspace_id
  left join job_type f_type on f_type.id = f.job_type_id
  left join recipe_type f_recipe_type on f_recipe_type.id = f.recipe_type_id`;

/** `url` is the workspace's base URL (or null) until the interface makes the address from it. */
const PLACE = {
  workspace: workspaceRef('f_workspace'),
  ...columns('f', [
    'file_name',
    'file_type',
    'uuid',
    'data_type_tags',
    'media_type',
    'file_size',
    'file_path',
  ]),
  is_deleted: 'f.is_deleted',
  url: 'f_workspace.base_url',
};

const FIELDS = {
  id: 'f.id',
  ...PLACE,
  ...instants('f', ['created', 'deleted', 'data_started', 'data_ended']),
  ...columns('f', ['geometry', 'center_point', 'countries']),
  ...instants('f', ['last_modified']),
  ...sourceFields('f'),
  job: objectIf('f.job_id', { id: 'f.job_id' }),
  job_exe: objectIf('f.job_exe_id', { id: 'f.job_exe_id' }),
  job_output: 'f.job_output',
  job_type: jobTypeSummary('f_type'),
  recipe: objectIf('f.recipe_id', { id: 'f.recipe_id' }),
  recipe_node: 'f.recipe_node',
  recipe_type: recipeTypeSummary('f_recipe_type'),
  batch: batchRef('f.batch_id'),
  is_superseded: 'f.is_superseded',
  ...instants('f', ['superseded']),
};

/** The file behind `f` as lists show it. */
export const FILE_RECORD = object(FIELDS);

/** `source_file` of ingests: `f` and `f_workspace` may be missing. */
export const SOURCE_FILE_RECORD = objectIf('f.id', {
  id: 'f.id',
  ...PLACE,
  ...instants('f', ['created', 'deleted', 'data_started', 'data_ended']),
  ...columns('f', ['geometry', 'center_point', 'meta_data', 'is_parsed']),
  ...instants('f', ['last_modified', 'parsed']),
});

const TYPE_JOIN = 'left join job_type f_type on f_type.id = f.job_type_id';
const RECIPE_TYPE_JOIN = 'left join recipe_type f_recipe_type on f_recipe_type.id = f.recipe_type_id';
const WORKSPACE_JOIN = 'join workspace f_workspace on f_workspace.id = f.workspace_id';
const TEXTS = ['file_name', 'file_type', 'media_type', 'file_path', 'job_output', 'recipe_node'];
const SOURCES = ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'];

/**
 * Files of workspaces with a base URL are sorted by it and the path, after files with this service's own addresses,
 * which are sorted by id.
 */
export const URL_KEY = `case when rtrim(coalesce(f_workspace.base_url, ''), '/') = '' then ''
  else lower(rtrim(f_workspace.base_url, '/') || '/' || ltrim(f.file_path, '/')) end`;

const FILES: ListShape = {
  from: 'file f',
  counted: [COUNTED_FILES, COUNTED_BATCH_FILES],
  id: 'f.id',
  joins: FILE_JOINS,
  record: FILE_RECORD,
  order: {
    ...plainOrder('f', [
      'id',
      'uuid',
      'file_size',
      'is_deleted',
      'is_superseded',
      'last_modified',
      'created',
    ]),
    ...plainOrder('f', [
      'deleted',
      'data_started',
      'data_ended',
      'source_started',
      'source_ended',
      'superseded',
    ]),
    ...textOrder('f', [...TEXTS, ...SOURCES]),
    ...textOrder('f', ['geometry', 'center_point']),
    url: { by: URL_KEY, join: WORKSPACE_JOIN },
    workspace__id: { by: 'f.workspace_id' },
    workspace__name: { by: 'lower(f_workspace.name)', join: WORKSPACE_JOIN },
    job__id: { by: 'f.job_id' },
    job_exe__id: { by: 'f.job_exe_id' },
    ...jobTypeOrder('job_type', 'f.job_type_id', { alias: 'f_type', join: TYPE_JOIN }),
    recipe__id: { by: 'f.recipe_id' },
    ...recipeTypeOrder('recipe_type', 'f.recipe_type_id', { alias: 'f_recipe_type', join: RECIPE_TYPE_JOIN }),
    ...batchOrder('batch', 'f.batch_id'),
  },
};
export const FILE_ORDER = Object.keys(FILES.order);

export function listFiles<R extends object>(
  sql: Sql,
  filter: FileFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.data, 'f.data_started', 'f.data_ended');
  conditions.range(filter.source, 'f.source_started', 'f.source_ended');
  conditions.range(filter.created, 'f.created');
  conditions.range(filter.modified, 'f.last_modified');
  for (const name of ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'] as const) {
    conditions.anyOf(`f.${name}`, 'text', filter[name]);
  }
  for (const name of ['job_output', 'recipe_node', 'file_name', 'file_type', 'media_type'] as const) {
    conditions.anyOf(`f.${name}`, 'text', filter[name]);
  }
  for (const name of ['job_type_id', 'job_id', 'recipe_id', 'recipe_type_id', 'batch_id'] as const) {
    conditions.anyOf(`f.${name}`, 'bigint', filter[name]);
  }
  if (filter.job_type_name.length > 0) {
    const names = conditions.param(filter.job_type_name);
    conditions.addOn(
      'f.job_type_id',
      (operand) => `${operand} = any(array(select id from job_type where name = any(${names}::text[])))`,
    );
  }
  if (filter.countries.length > 0)
    conditions.add(`f.countries && ${conditions.param(filter.countries)}::text[]`);
  conditions.like(['f.file_name'], filter.file_name_search === undefined ? [] : [filter.file_name_search]);
  return listRecords(sql, FILES, conditions, order, page);
}

const TIME_COLUMNS: Readonly<Record<InputFileFilter['timeField'], readonly [string, string]>> = {
  last_modified: ['f.last_modified', 'f.last_modified'],
  data: ['f.data_started', 'f.data_ended'],
  source: ['f.source_started', 'f.source_ended'],
};
const BY_MODIFIED: readonly OrderKey[] = [
  { field: 'last_modified', isDescending: false },
  { field: 'id', isDescending: false },
];

/** The files that a job or a recipe took, each once. Undefined if there is no such job or recipe. */
export async function listInputFiles<R extends object>(
  sql: Sql,
  owner: 'job' | 'recipe',
  id: number,
  filter: InputFileFilter,
  page: PageBounds,
): Promise<Listed<R> | undefined> {
  const conditions = new Conditions();
  const links = conditions.nested();
  links.anyOf(`link.${owner}_id`, 'bigint', [id]);
  links.anyOf('link.input', 'text', filter.input);
  conditions.add(`f.id = any(array(select link.file_id from ${owner}_input_file link ${links.where}))`);
  conditions.range(filter.range, ...TIME_COLUMNS[filter.timeField]);
  conditions.anyOf('f.file_name', 'text', filter.fileName);
  const [known, listed] = await Promise.all([
    sql.execute(`select id from ${owner} where id = $1`, [id]),
    listRecords<R>(sql, FILES, conditions, BY_MODIFIED, page),
  ]);
  return known.length === 0 ? undefined : listed;
}

// limit: ancestors of each sort in details.
const ANCESTORS_MAX = 1_000;

const ANCESTOR = object({
  ...columns('a', ['id', 'file_name', 'file_type', 'file_path']),
  workspace: workspaceRef('a_workspace'),
  is_deleted: 'a.is_deleted',
  job: objectIf('a.job_id', { id: 'a.job_id' }),
});

/** Files that the file behind `f` descends from, with `condition` on the file `a` and its `link`. */
function ancestors(condition: string): string {
  return `(select coalesce(json_agg(found.record), '[]') from (
    select ${ANCESTOR} as record from file_ancestry link
      join file a on a.id = link.ancestor_id join workspace a_workspace on a_workspace.id = a.workspace_id
    where link.descendant_id = f.id and ${condition}
    order by a.id limit ${ANCESTORS_MAX}) as found)`;
}

const DETAILS = object({
  ...FIELDS,
  ...columns('f', ['meta_data', 'sha256', 'is_parsed', 'is_published']),
  ...instants('f', ['parsed']),
  ancestors: object({ parents: ancestors('link.is_direct'), sources: ancestors(`a.file_type = 'SOURCE'`) }),
});

/** Undefined if there is no such file. */
export async function findFile<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const text = `select ${DETAILS} as record from file f ${FILE_JOINS} where f.id = $1`;
  const rows = await sql.execute<{ record: R }>(text, [id]);
  return rows[0]?.record;
}

/** The place of a file's bytes, and the nodes with a connected agent that reaches it. */
export interface FilePlace {
  readonly id: number;
  readonly fileName: string;
  readonly mediaType: string;
  readonly size: number;
  readonly path: string;
  readonly sha256: string | null;
  readonly isDeleted: boolean;
  readonly workspace: {
    readonly uuid: string;
    readonly name: string;
    readonly isActive: boolean;
    readonly configuration: Readonly<Record<string, unknown>>;
  };
  readonly nodeIds: readonly number[];
}

/** Undefined if there is no such file. */
export async function findFilePlace(sql: Sql, id: number): Promise<FilePlace | undefined> {
  const rows = await sql.execute<FilePlace>(
    `select f.id, f.file_name as "fileName", f.media_type as "mediaType", f.file_size as size,
       f.file_path as path, f.sha256, f.is_deleted as "isDeleted",
       json_build_object('uuid', w.uuid, 'name', w.name, 'isActive', w.is_active, 'configuration', w.configuration)
         as workspace,
       array(select node.id from node_workspace reach join node on node.id = reach.node_id
         where reach.workspace_id = w.id and reach.is_reachable and node.is_online and node.is_active
         order by node.id) as "nodeIds"
     from file f join workspace w on w.id = f.workspace_id where f.id = $1`,
    [id],
  );
  return rows[0];
}
