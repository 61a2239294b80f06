/** Stored files: their record, lists, details with ancestors, and the places of their bytes. */
import type { FileFilter, FileType, InputFileFilter } from '../../domain/listing/filters.ts';
import { executionOfPath } from '../../domain/paths.ts';
import type { WorkspaceConfiguration } from '../../domain/workspace/workspace-config.ts';
import { COUNTED_BATCH_FILES, COUNTED_COUNTRY_FILES, COUNTED_FILES } from '../metrics/list-counts.ts';
import type { Conditions } from '../sql/conditions.ts';
import { countedBySpans } from '../sql/counted.ts';
import { idOrNull, listIn, nestedOrder, object, orNull, row } from '../sql/fields.ts';
import { findRecord, listOf, type PageBounds, type WantedFields } from '../sql/listing.ts';
import {
  batchById,
  batchOrder,
  jobTypeOrder,
  jobTypeSummary,
  recipeTypeOrder,
  recipeTypeSummary,
  sourceFields,
  sourceOrder,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { workspaceRef } from '../workspace/list.ts';

/** Joins for the record of the file behind `f`. */
export const FILE_JOINS = `join workspace f_workspace on f_workspace.id = f.workspace_id
  left join job_type f_type on f_type.id = f.job_type_id
  left join recipe_type f_recipe_type on f_recipe_type.id = f.recipe_type_id`;

const f = row('file', 'f');
const INSTANTS = ['created', 'deleted', 'data_started', 'data_ended'] as const;

/** `url` is the workspace's base URL (or null) until the interface makes the address from it. */
const PLACE = {
  workspace: workspaceRef('f_workspace'),
  ...f.columns('file_name'),
  file_type: f.oneOf<FileType>('file_type'),
  ...f.columns('uuid', 'data_type_tags', 'media_type', 'file_size', 'file_path', 'is_deleted'),
  url: row('workspace', 'f_workspace').column('base_url'),
};

const FIELDS = {
  ...f.columns('id', 'object_version'),
  ...PLACE,
  ...f.instants(...INSTANTS),
  ...f.columns('geometry', 'center_point', 'countries'),
  ...f.instants('last_modified'),
  ...sourceFields('f'),
  job: idOrNull(f.column('job_id')),
  job_exe: idOrNull(f.column('job_exe_id')),
  ...f.columns('job_output'),
  job_type: orNull('f_type.id', jobTypeSummary('f_type')),
  recipe: idOrNull(f.column('recipe_id')),
  ...f.columns('recipe_node'),
  recipe_type: orNull('f_recipe_type.id', recipeTypeSummary('f_recipe_type')),
  batch: batchById('f.batch_id'),
  ...f.columns('is_superseded'),
  ...f.instants('superseded'),
};

/** The file behind `f` as lists show it. */
export const FILE_RECORD = object(FIELDS);

/** `source_file` of ingests: `f` and `f_workspace` may be missing. */
export const SOURCE_FILE_RECORD = orNull(
  'f.id',
  object({
    ...f.columns('id'),
    ...PLACE,
    ...f.instants(...INSTANTS),
    ...f.columns('geometry', 'center_point'),
    meta_data: f.document('meta_data'),
    ...f.columns('is_parsed'),
    ...f.instants('last_modified', 'parsed'),
  }),
);

const TYPE_JOIN = 'left join job_type f_type on f_type.id = f.job_type_id';
const RECIPE_TYPE_JOIN = 'left join recipe_type f_recipe_type on f_recipe_type.id = f.recipe_type_id';
const WORKSPACE_JOIN = 'join workspace f_workspace on f_workspace.id = f.workspace_id';

/**
 * Files of workspaces with a base URL are sorted by it and the path, after files with this service's own addresses,
 * which are sorted by id.
 */
export const URL_KEY = `case when rtrim(coalesce(f_workspace.base_url, ''), '/') = '' then ''
  else lower(rtrim(f_workspace.base_url, '/') || '/' || ltrim(f.file_path, '/')) end`;

const FILES = {
  rows: f,
  counted: [COUNTED_FILES, COUNTED_BATCH_FILES, COUNTED_COUNTRY_FILES],
  countedBySpans: countedBySpans('file', 'f', [
    'created',
    'data_started',
    'data_ended',
    'source_started',
    'source_ended',
  ]),
  joins: FILE_JOINS,
  fields: FIELDS,
  order: {
    ...f.order('id', 'uuid', 'file_size', 'is_deleted', 'is_superseded', 'last_modified', ...INSTANTS),
    ...f.order('superseded'),
    ...f.textOrder('file_name', 'file_type', 'media_type', 'file_path', 'job_output', 'recipe_node'),
    ...f.textOrder('geometry', 'center_point'),
    ...sourceOrder('f'),
    url: { by: URL_KEY, join: WORKSPACE_JOIN },
    workspace__id: { by: 'f.workspace_id' },
    workspace__name: { by: 'lower(f_workspace.name)', join: WORKSPACE_JOIN },
    job__id: { by: 'f.job_id' },
    job_exe__id: { by: 'f.job_exe_id' },
    ...nestedOrder('job_type', 'f.job_type_id', TYPE_JOIN, jobTypeOrder('f_type')),
    recipe__id: { by: 'f.recipe_id' },
    ...nestedOrder('recipe_type', 'f.recipe_type_id', RECIPE_TYPE_JOIN, recipeTypeOrder('f_recipe_type')),
    ...batchOrder('batch', 'f.batch_id'),
  },
};

/** Files of several countries are in the counters of each, so that these serve for one. */
function addCountries(conditions: Conditions, countries: readonly string[]): void {
  if (countries.length === 0) return;
  const given = `${conditions.param(countries)}::text[]`;
  const on = (column: string) => `${column} && ${given}`;
  if (countries.length === 1) conditions.addOn('f.countries', on);
  else conditions.add(on('f.countries'));
}

export const listFiles = listOf(FILES, (where, filter: FileFilter) => {
  where.leaveOutTrials('f.job_type_id');
  where.range(filter.data, 'f.data_started', 'f.data_ended');
  where.range(filter.source, 'f.source_started', 'f.source_ended');
  where.range(filter.created, 'f.created');
  where.range(filter.modified, 'f.last_modified');
  for (const name of ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'] as const) {
    where.anyOf(`f.${name}`, 'text', filter[name]);
  }
  for (const name of ['job_output', 'recipe_node', 'file_name', 'file_type', 'media_type'] as const) {
    where.anyOf(`f.${name}`, 'text', filter[name]);
  }
  for (const name of ['job_type_id', 'job_id', 'recipe_id', 'recipe_type_id', 'batch_id'] as const) {
    where.anyOf(`f.${name}`, 'bigint', filter[name]);
  }
  where.anyWith('f.job_type_id', 'job_type', 'name', filter.job_type_name);
  addCountries(where, filter.countries);
  where.like(['f.file_name'], filter.file_name_search === undefined ? [] : [filter.file_name_search]);
});

const TIME_COLUMNS: Readonly<Record<InputFileFilter['timeField'], readonly [string, string]>> = {
  last_modified: ['f.last_modified', 'f.last_modified'],
  data: ['f.data_started', 'f.data_ended'],
  source: ['f.source_started', 'f.source_ended'],
};
const BY_MODIFIED = [
  { field: 'last_modified', isDescending: false },
  { field: 'id', isDescending: false },
] as const;

interface InputFilesOf {
  readonly owner: 'job' | 'recipe';
  readonly id: number;
  readonly filter: InputFileFilter;
}

const inputFiles = listOf(FILES, (where, { owner, id, filter }: InputFilesOf) => {
  const links = where.nested();
  links.anyOf(`link.${owner}_id`, 'bigint', [id]);
  links.anyOf('link.input', 'text', filter.input);
  where.add(`f.id = any(array(select link.file_id from ${owner}_input_file link ${links.where}))`);
  where.range(filter.range, ...TIME_COLUMNS[filter.timeField]);
  where.anyOf('f.file_name', 'text', filter.fileName);
});

/** The input files of a job or a recipe, each once. Undefined if there is no such job or recipe. */
export async function listInputFiles(sql: Sql, work: InputFilesOf, page: PageBounds, wanted: WantedFields) {
  const [known, listed] = await Promise.all([
    sql.execute(`select id from ${work.owner} where id = $1`, [work.id]),
    inputFiles(sql, work, BY_MODIFIED, page, wanted),
  ]);
  return known.length === 0 ? undefined : listed;
}

// limit: ancestors of each sort in details.
const ANCESTORS_MAX = 1_000;

const a = row('file', 'a');
const ANCESTOR = object({
  ...a.columns('id', 'file_name'),
  file_type: a.oneOf<FileType>('file_type'),
  ...a.columns('file_path'),
  workspace: workspaceRef('a_workspace'),
  ...a.columns('is_deleted'),
  job: idOrNull(a.column('job_id')),
});

/** Files that the file behind `f` descends from, with `condition` on the file `a` and its `link`. */
function ancestors(condition: string) {
  return listIn(
    ANCESTOR,
    `file_ancestry link join file a on a.id = link.ancestor_id
      join workspace a_workspace on a_workspace.id = a.workspace_id
     where link.descendant_id = f.id and ${condition}`,
    'a.id',
    ANCESTORS_MAX,
  );
}

const DETAILS = object({
  ...FIELDS,
  meta_data: f.document('meta_data'),
  ...f.columns('sha256', 'is_parsed', 'is_published'),
  ...f.instants('parsed'),
  ancestors: object({ parents: ancestors('link.is_direct'), sources: ancestors(`a.file_type = 'SOURCE'`) }),
});

/** Undefined if there is no such file. */
export function findFile(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, `file f ${FILE_JOINS} where f.id = $1`, [id]);
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
    readonly configuration: WorkspaceConfiguration;
  };
  readonly nodeIds: readonly number[];
}

const IN_WORKSPACE = /* sql */ `
  json_build_object('uuid', w.uuid, 'name', w.name, 'isActive', w.is_active, 'configuration', w.configuration)
    as workspace,
  array(select node.id from node_workspace reach join node on node.id = reach.node_id
    where reach.workspace_id = w.id and reach.is_reachable and node.is_online and node.is_active
    order by node.id) as "nodeIds"`;

/** Undefined if there is no such file. */
export async function findFilePlace(sql: Sql, id: number): Promise<FilePlace | undefined> {
  const rows = await sql.execute<FilePlace>(
    `select f.id, f.file_name as "fileName", f.media_type as "mediaType", f.file_size as size,
       f.file_path as path, f.sha256, f.is_deleted as "isDeleted", ${IN_WORKSPACE}
     from file f join workspace w on w.id = f.workspace_id where f.id = $1`,
    [id],
  );
  return rows[0];
}

/** A place in a workspace, and the file that is recorded there. */
export interface PathPlace extends Pick<FilePlace, 'workspace' | 'nodeIds'> {
  readonly workspaceId: number;
  readonly file: Pick<FilePlace, 'id' | 'fileName' | 'mediaType' | 'size' | 'sha256'> | null;
}

/**
 * Superseded products stay at their own paths: they are found by the execution that their path names, or that has
 * reserved it. Undefined if there is no such workspace.
 */
export async function findPathPlace(
  sql: Sql,
  workspace: string,
  path: string,
): Promise<PathPlace | undefined> {
  const rows = await sql.execute<PathPlace>(
    `select w.id as "workspaceId", ${IN_WORKSPACE},
       (select json_build_object('id', f.id, 'fileName', f.file_name, 'mediaType', f.media_type, 'size', f.file_size,
           'sha256', f.sha256)
         from file f where f.id = coalesce(
           (select id from file where workspace_id = w.id and file_path = $2
             and not is_deleted and not is_superseded),   -- = file_path_key
           (select p.id from job_exe e join file p on p.job_id = e.job_id   -- = job_exe_pkey, file_job_idx
             where e.id = coalesce($3, (
                 select job_exe_id from reserved_path
                 where workspace_id = w.id and file_path = $2))   -- = reserved_path_pkey
               and p.workspace_id = w.id and p.file_path = $2 and not p.is_deleted
             order by p.id limit 1))) as file
     from workspace w where w.name = $1 and w.deleted is null   -- = workspace_name_key`,
    [workspace, path, executionOfPath(path) ?? null],
  );
  return rows[0];
}
