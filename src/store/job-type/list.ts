/**
 * Read models of job types: names, versions, details, revisions. Catalog tables: small, and joined freely.
 */

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
import { columns, instants, jobTypeSummary, object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { versionKey } from './version-key.ts';

export interface JobTypeFilter {
  readonly keyword: readonly string[];
  readonly id: readonly number[];
  readonly is_active: boolean | undefined;
  readonly is_system: boolean | undefined;
}

const FLAGS = ['is_published', 'is_active', 'is_paused', 'is_system'];
const HEAD = ['id', 'name', 'version', 'title', 'description', 'icon_code', ...FLAGS, 'max_scheduled'];
const INSTANTS = ['created', 'deprecated', 'paused', 'last_modified'];

const LIST_FIELDS = {
  ...columns('jt', [...HEAD, 'revision_num', 'container_image', 'unmet_resources']),
  ...instants('jt', INSTANTS),
};

const RECIPE_TYPE_FIELDS = {
  ...columns('rt', ['id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num']),
  ...instants('rt', ['created', 'deprecated', 'last_modified']),
};

/** Full details of the job type behind `jt`, whose current revision is joined as `rev`. */
export const JOB_TYPE_DETAILS = object({
  ...columns('jt', [...HEAD, 'max_tries', 'revision_num', 'container_image', 'unmet_resources']),
  manifest: 'rev.manifest',
  configuration: 'jt.configuration',
  recipe_types: `(select coalesce(json_agg(${object(RECIPE_TYPE_FIELDS)} order by rt.id), '[]')
    from recipe_type_job_type link join recipe_type rt on rt.id = link.recipe_type_id
    where link.job_type_id = jt.id)`,
  ...instants('jt', INSTANTS),
});

/** The current revision of `jt`. */
export const CURRENT_REVISION =
  'join job_type_rev rev on rev.job_type_id = jt.id and rev.revision_num = jt.revision_num';

const JOB_TYPES: ListShape = {
  from: 'job_type jt',
  id: 'jt.id',
  joins: '',
  record: object(LIST_FIELDS),
  order: {
    ...plainOrder('jt', ['id', ...FLAGS, 'max_scheduled', 'revision_num', ...INSTANTS]),
    ...textOrder('jt', ['name', 'title', 'description', 'icon_code', 'container_image', 'unmet_resources']),
    version: { by: versionKey('jt.version') },
  },
};

/** The latest version of each name. */
const LATEST = `(select distinct on (jt.name) jt.* from job_type jt
  order by jt.name, ${versionKey('jt.version')} desc) as latest`;

const NAMES: ListShape = {
  from: LATEST,
  id: 'latest.id',
  joins: '',
  record: object({
    ...columns('latest', ['name', 'title', 'description', 'icon_code', 'is_published']),
    versions: `(select json_agg(v.version order by ${versionKey('v.version')} desc)
      from job_type v where v.name = latest.name)`,
    latest_version: 'latest.version',
  }),
  order: {
    ...plainOrder('latest', ['id', 'is_published']),
    ...textOrder('latest', ['name', 'title', 'description', 'icon_code']),
    latest_version: { by: versionKey('latest.version') },
  },
};

function filtered(conditions: Conditions, alias: string, filter: JobTypeFilter): Conditions {
  conditions.like([`${alias}.name`, `array_to_string(${alias}.tags, chr(10))`], filter.keyword);
  conditions.anyOf(`${alias}.id`, 'bigint', filter.id);
  conditions.flag(`${alias}.is_active`, filter.is_active);
  conditions.flag(`${alias}.is_system`, filter.is_system);
  return conditions;
}

export function listJobTypes<R extends object>(
  sql: Sql,
  filter: JobTypeFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  return listRecords(sql, JOB_TYPES, filtered(new Conditions(), 'jt', filter), order, page);
}

/** Names of which at least one version matches all filters; the record is that of the latest version. */
export function listJobTypeNames<R extends object>(
  sql: Sql,
  filter: JobTypeFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  const version = filtered(conditions.nested(), 'v', filter);
  version.add('v.name = latest.name');
  conditions.add(`exists (select from job_type v ${version.where})`);
  return listRecords(sql, NAMES, conditions, order, page);
}

/** Versions of one name, newest first. */
export function listJobTypeVersions<R extends object>(
  sql: Sql,
  name: string,
  isActive: boolean | undefined,
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.anyOf('jt.name', 'text', [name]);
  conditions.flag('jt.is_active', isActive);
  return listRecords(sql, JOB_TYPES, conditions, NEWEST_VERSION, page);
}
const NEWEST_VERSION: readonly OrderKey[] = [{ field: 'version', isDescending: true }];

/** Undefined if there is no such name and version. */
export async function findJobType<R extends object>(
  sql: Sql,
  name: string,
  version: string,
): Promise<R | undefined> {
  const rows = await sql.execute<{ record: R }>(
    `select ${JOB_TYPE_DETAILS} as record from job_type jt ${CURRENT_REVISION}
     where jt.name = $1 and jt.version = $2`,
    [name, version],
  );
  return rows[0]?.record;
}

const REVISION = {
  id: 'rev.id',
  job_type: jobTypeSummary('jt'),
  ...columns('rev', ['revision_num', 'container_image']),
};
const REVISION_CREATED = instants('rev', ['created']);

const REVISIONS: ListShape = {
  from: 'job_type_rev rev join job_type jt on jt.id = rev.job_type_id',
  id: 'rev.id',
  joins: '',
  record: object({ ...REVISION, ...REVISION_CREATED }),
  order: plainOrder('rev', ['revision_num']),
};

/** Revisions of one version, newest first; undefined if there is no such job type. */
export async function listJobTypeRevisions<R extends object>(
  sql: Sql,
  name: string,
  version: string,
  page: PageBounds,
): Promise<Listed<R> | undefined> {
  const conditions = new Conditions();
  conditions.anyOf('jt.name', 'text', [name]);
  conditions.anyOf('jt.version', 'text', [version]);
  const newest = [{ field: 'revision_num', isDescending: true }];
  const listed = await listRecords<R>(sql, REVISIONS, conditions, newest, page);
  // Every job type has a revision, so none at all means an unknown job type.
  return listed.count === 0 ? undefined : listed;
}

export async function findJobTypeRevision<R extends object>(
  sql: Sql,
  name: string,
  version: string,
  revisionNum: number,
): Promise<R | undefined> {
  const record = object({ ...REVISION, manifest: 'rev.manifest', ...REVISION_CREATED });
  const rows = await sql.execute<{ record: R }>(
    `select ${record} as record from ${REVISIONS.from}
     where jt.name = $1 and jt.version = $2 and rev.revision_num = $3::bigint`,
    [name, version, revisionNum],
  );
  return rows[0]?.record;
}
