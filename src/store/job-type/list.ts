/**
 * Read models of job types: names, versions, details, revisions. Catalog tables: small, and joined freely.
 */

import type { Labels, LabelTerm } from '../../domain/labels.ts';
import { newestRevisions } from '../catalog/newest-revisions.ts';
import type { Conditions } from '../sql/conditions.ts';
import { AliasedRows, expression, listIn, object, row } from '../sql/fields.ts';
import { findRecord, listOf, type PageBounds, type WantedFields } from '../sql/listing.ts';
import { jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import type { Tables } from '../sql/table-types.ts';
import { versionKey } from './version-key.ts';

export interface JobTypeFilter {
  readonly label: readonly LabelTerm[];
  readonly keyword: readonly string[];
  readonly id: readonly number[];
  readonly is_active: boolean | undefined;
  readonly is_system: boolean | undefined;
}

const FLAGS = ['is_published', 'is_active', 'is_paused', 'is_system'] as const;
const INSTANTS = ['created', 'deprecated', 'paused', 'last_modified'] as const;
const jt = row('job_type', 'jt');
const rev = row('job_type_rev', 'rev');
const rt = row('recipe_type', 'rt');

const HEAD = jt.columns(
  'id',
  'object_version',
  'name',
  'version',
  'title',
  'description',
  'icon_code',
  ...FLAGS,
  'max_scheduled',
);
const CURRENT = {
  ...jt.columns('revision_num', 'container_image', 'unmet_resources'),
  labels: jt.document<Labels>('labels'),
};

const RECIPE_TYPE = object({
  ...rt.columns('id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num'),
  ...rt.instants('created', 'deprecated', 'last_modified'),
});

/** Full details of the job type behind `jt`, whose current revision is joined as `rev`. */
export const JOB_TYPE_DETAILS = object({
  ...HEAD,
  ...jt.columns('max_tries'),
  ...CURRENT,
  manifest: rev.document('manifest'),
  configuration: jt.document('configuration'),
  recipe_types: listIn(
    RECIPE_TYPE,
    `recipe_type_job_type link join recipe_type rt on rt.id = link.recipe_type_id
    where link.job_type_id = jt.id`,
    'rt.id',
  ),
  ...jt.instants(...INSTANTS),
});

/** The current revision of `jt`. */
export const CURRENT_REVISION =
  'join job_type_rev rev on rev.job_type_id = jt.id and rev.revision_num = jt.revision_num';

const JOB_TYPES = {
  rows: jt,
  fields: { ...HEAD, ...CURRENT, ...jt.instants(...INSTANTS) },
  order: {
    ...jt.order('id', ...FLAGS, 'max_scheduled', 'revision_num', ...INSTANTS),
    ...jt.textOrder('name', 'title', 'description', 'icon_code', 'container_image', 'unmet_resources'),
    version: { by: versionKey('jt.version') },
  },
};

/**
 * The latest version of each name. Only versions of names that have several are compared: with 2,000 names of one
 * version, their keys took most of a list's time.
 */
const latest = new AliasedRows<Tables['job_type']>(
  `(select distinct on (jt.name) jt.*
    from (select *, count(*) over (partition by name) > 1 as has_others from job_type where deleted is null) as jt
    order by jt.name, case when jt.has_others then ${versionKey('jt.version')} end desc) as`,
  'latest',
);

const NAMES = {
  rows: latest,
  found: 'job_type latest',
  fields: {
    ...latest.columns('name', 'title', 'description', 'icon_code', 'is_published'),
    versions: expression<string[]>(`(select json_agg(v.version order by ${versionKey('v.version')} desc)
      from job_type v where v.name = latest.name and v.deleted is null)`),
    latest_version: latest.column('version'),
  },
  order: {
    ...latest.order('id', 'is_published'),
    ...latest.textOrder('name', 'title', 'description', 'icon_code'),
    latest_version: { by: versionKey('latest.version') },
  },
};

function filtered(conditions: Conditions, alias: string, filter: JobTypeFilter): Conditions {
  conditions.add(`${alias}.deleted is null`);
  conditions.like([`${alias}.name`, `array_to_string(${alias}.tags, chr(10))`], filter.keyword);
  conditions.anyOf(`${alias}.id`, 'bigint', filter.id);
  conditions.flag(`${alias}.is_active`, filter.is_active);
  conditions.flag(`${alias}.is_system`, filter.is_system);
  conditions.labels(`${alias}.labels`, filter.label);
  return conditions;
}

/** Whether a type could be left out by the filter. */
function restricts({ label, keyword, id, is_active, is_system }: JobTypeFilter): boolean {
  return [label, keyword, id].some(({ length }) => length > 0) || (is_active ?? is_system) !== undefined;
}

export const listJobTypes = listOf(JOB_TYPES, (where, filter: JobTypeFilter) => {
  filtered(where, 'jt', filter);
});

/** Names of which at least one version matches all filters; the record is that of the latest version. */
export const listJobTypeNames = listOf(NAMES, (where, filter: JobTypeFilter) => {
  if (!restricts(filter)) return;
  const version = filtered(where.nested(), 'v', filter);
  version.add('v.name = latest.name');
  where.add(`exists (select from job_type v ${version.where})`);
});

interface VersionsOf {
  readonly name: string;
  readonly isActive: boolean | undefined;
}

const versionsOf = listOf(JOB_TYPES, (where, { name, isActive }: VersionsOf) => {
  where.add('jt.deleted is null');
  where.anyOf('jt.name', 'text', [name]);
  where.flag('jt.is_active', isActive);
});

/** Versions of one name, newest first. */
export function listJobTypeVersions(sql: Sql, type: VersionsOf, page: PageBounds, wanted: WantedFields) {
  return versionsOf(sql, type, [{ field: 'version', isDescending: true }], page, wanted);
}

/** Undefined if there is no such name and version. */
export function findJobType(sql: Sql, name: string, version: string) {
  const from = `job_type jt ${CURRENT_REVISION}
    where jt.name = $1 and jt.version = $2 and jt.deleted is null`;
  return findRecord(sql, JOB_TYPE_DETAILS, from, [name, version]);
}

const REVISION = {
  ...rev.columns('id'),
  job_type: jobTypeSummary('jt'),
  ...rev.columns('revision_num', 'container_image'),
};
const TYPE_JOIN = 'join job_type jt on jt.id = rev.job_type_id';
const REVISIONS = {
  rows: rev,
  joined: TYPE_JOIN,
  fields: { ...REVISION, ...rev.instants('created') },
  order: rev.order('revision_num'),
};

interface RevisionsOf {
  readonly name: string;
  readonly version: string;
}

/** Revisions of one version, newest first; undefined if there is no such job type. */
export const listJobTypeRevisions = newestRevisions(
  listOf(REVISIONS, (where, { name, version }: RevisionsOf) => {
    where.add('jt.deleted is null');
    where.anyOf('jt.name', 'text', [name]);
    where.anyOf('jt.version', 'text', [version]);
  }),
);

const REVISION_DETAILS = object({
  ...REVISION,
  manifest: rev.document('manifest'),
  ...rev.instants('created'),
});

export function findJobTypeRevision(sql: Sql, { name, version }: RevisionsOf, revisionNum: number) {
  const from = `job_type_rev rev ${TYPE_JOIN}
     where jt.name = $1 and jt.version = $2 and rev.revision_num = $3::bigint
       and jt.deleted is null`;
  return findRecord(sql, REVISION_DETAILS, from, [name, version, revisionNum]);
}
