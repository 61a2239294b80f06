/** Facts for checking documents against the catalog: types with their interfaces, revisions, workspaces. */
import type { Interface } from '../../domain/interface/interface.ts';
import {
  inputInterfaceOf,
  type Manifest,
  type ManifestInterface,
  outputInterfaceOf,
} from '../../domain/manifest/manifest.ts';
import type {
  MentionedJobRevision,
  MentionedRecipeRevision,
  RecipeDefinition,
} from '../../domain/recipe/recipe-definition.ts';
import {
  type JobTypeFacts,
  jobTypeKey,
  type SubRecipeFacts,
} from '../../domain/recipe/recipe-definition-check.ts';
import type { JobTypeRevision } from '../../domain/recipe/type-revisions.ts';
import type { WorkspaceFacts } from '../../domain/workspace/workspace-config.ts';
import type { WorkspaceIds } from '../../domain/workspace/workspace-ids.ts';
import { assert } from '../../lib/assert.ts';
import { iso, type ValueOf } from '../sql/fields.ts';
import { jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { SYSTEM_JOB_TYPES } from './builtins.ts';

export interface WorkspaceCatalog extends WorkspaceIds {
  readonly facts: ReadonlyMap<string, WorkspaceFacts>;
}

const WORKSPACES = {
  name: 'workspace_catalog',
  isKeyed: true,
  text: /* sql */ `
    select id, uuid, name, is_active as "isActive", configuration->'broker'->>'type' as "brokerType"
    from workspace where deleted is null`,
};

/** All workspaces: there are few. */
export async function workspaceCatalog(sql: Sql): Promise<WorkspaceCatalog> {
  const rows = await sql.execute<{ id: number; uuid: string; name: string } & WorkspaceFacts>(WORKSPACES);
  return {
    byName: new Map(rows.map((row) => [row.name, row.id])),
    byUuid: new Map(rows.map((row) => [row.uuid, row.id])),
    facts: new Map(rows.map(({ name, brokerType, isActive }) => [name, { brokerType, isActive }])),
  };
}

const SUMMARY = jobTypeSummary('jt');

/** The current revision of a job type: what queueing a job needs, and what the answer shows of it. */
export interface CurrentJobRevision extends JobTypeRevision {
  /** True for the type of a trial. */
  readonly isDeleted: boolean;
  readonly revisionNum: number;
  /** ISO 8601. */
  readonly revisionCreated: string;
  readonly summary: ValueOf<typeof SUMMARY>;
}

const CURRENT_JOB_REVISION = /* sql */ `
  select jt.id as "jobTypeId", rev.id as "jobTypeRevId", jt.name as "jobTypeName",
    jt.version as "jobTypeVersion", jt.is_active as "isActive", jt.is_system as "isSystem",
    rev.container_image as "containerImage", rev.manifest, jt.configuration, jt.max_tries as "maxTries",
    jt.deleted is not null as "isDeleted", rev.revision_num as "revisionNum",
    ${iso('rev.created')} as "revisionCreated", ${SUMMARY} as summary
  from job_type jt
  join job_type_rev rev on rev.job_type_id = jt.id and rev.revision_num = jt.revision_num`;

const CURRENT_JOB_REVISIONS = {
  name: 'current_job_revisions',
  isKeyed: true,
  text: `${CURRENT_JOB_REVISION} where jt.id = any($1::bigint[]) and jt.deleted is null`,
};

/** By id of the type. */
export async function currentJobRevisions(
  sql: Sql,
  jobTypeIds: readonly number[],
): Promise<ReadonlyMap<number, CurrentJobRevision>> {
  const rows = await sql.execute<CurrentJobRevision>(CURRENT_JOB_REVISIONS, [jobTypeIds]);
  return new Map(rows.map((row) => [row.jobTypeId, row]));
}

/** The same of the type of a trial, which has a row like that of a deleted type. */
export async function trialRevision(sql: Sql, jobTypeId: number): Promise<CurrentJobRevision> {
  const [row] = await sql.execute<CurrentJobRevision>(`${CURRENT_JOB_REVISION} where jt.id = $1`, [
    jobTypeId,
  ]);
  assert(row !== undefined, `job type ${jobTypeId} has no row`);
  return row;
}

/** A job type for an edit. `secrets` is encrypted. */
export interface JobTypeRow {
  readonly id: number;
  readonly isSystem: boolean;
  readonly isActive: boolean;
  readonly revisionNum: number;
  readonly containerImage: string;
  readonly manifest: Manifest;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly secrets: Uint8Array | null;
}

export async function findJobTypeRow(
  sql: Sql,
  name: string,
  version: string,
): Promise<JobTypeRow | undefined> {
  const rows = await sql.execute<JobTypeRow>(
    `select jt.id, jt.is_system as "isSystem", jt.is_active as "isActive", jt.revision_num as "revisionNum",
       jt.container_image as "containerImage", rev.manifest, jt.configuration, jt.secrets
     from job_type jt
     join job_type_rev rev on rev.job_type_id = jt.id and rev.revision_num = jt.revision_num
     where jt.name = $1 and jt.version = $2 and jt.deleted is null`,
    [name, version],
  );
  return rows[0];
}

/** The current revision of a recipe type. */
export interface RecipeTypeRow {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isActive: boolean;
  readonly isSystem: boolean;
  readonly revId: number;
  readonly revisionNum: number;
  readonly definition: RecipeDefinition;
}

const RECIPE_TYPE_ROW = `select rt.id, rt.name, rt.title, rt.description,
    rt.is_active as "isActive", rt.is_system as "isSystem",
    rev.id as "revId", rt.revision_num as "revisionNum", rev.definition
  from recipe_type rt
  join recipe_type_rev rev on rev.recipe_type_id = rt.id and rev.revision_num = rt.revision_num`;

const RECIPE_TYPES_BY_ID = {
  name: 'recipe_types_by_id',
  isKeyed: true,
  text: `${RECIPE_TYPE_ROW} where rt.id = any($1::bigint[]) and rt.deleted is null   -- = recipe_type_pkey`,
};

/** The existing ones, by id. */
export async function findRecipeTypeRows(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RecipeTypeRow>> {
  const rows = await sql.execute<RecipeTypeRow>(RECIPE_TYPES_BY_ID, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function findRecipeTypeRow(sql: Sql, name: string): Promise<RecipeTypeRow | undefined> {
  const rows = await sql.execute<RecipeTypeRow>(
    `${RECIPE_TYPE_ROW} where rt.name = $1 and rt.deleted is null`,
    [name],
  );
  return rows[0];
}

/** Ids of the recipe types whose current definition has a node of the recipe type. */
export async function recipeTypesWithRecipeType(sql: Sql, recipeTypeId: number): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(
    'select recipe_type_id as id from recipe_type_sub_type where sub_recipe_type_id = $1 order by 1',
    [recipeTypeId],
  );
  return rows.map((row) => row.id);
}

/** Ids of the recipe types whose current definition has a node of the job type. */
export async function recipeTypesWithJobType(sql: Sql, jobTypeId: number): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(
    'select recipe_type_id as id from recipe_type_job_type where job_type_id = $1 order by 1',
    [jobTypeId],
  );
  return rows.map((row) => row.id);
}

interface JobTypeFactRow {
  readonly name: string;
  readonly version: string;
  readonly isActive: boolean;
  readonly isSystem: boolean;
  readonly latestRevision: number;
  readonly revisions: readonly { readonly number: number; readonly interface: ManifestInterface }[];
}

/** Includes system types except diagnostics, which run in recipes like any other type. */
const SYSTEM_ONLY: ReadonlySet<string> = new Set(Object.values(SYSTEM_JOB_TYPES).map(({ name }) => name));

/** Job types of these names and versions with the interfaces of the mentioned revisions, by `jobTypeKey`. */
export async function jobTypeFacts(
  sql: Sql,
  types: readonly MentionedJobRevision[],
): Promise<ReadonlyMap<string, JobTypeFacts>> {
  if (types.length === 0) return new Map();
  const rows = await sql.execute<JobTypeFactRow>(
    `select jt.name, jt.version, jt.is_active as "isActive", jt.is_system as "isSystem",
       jt.revision_num as "latestRevision",
       coalesce(json_agg(json_build_object('number', rev.revision_num,
         'interface', rev.manifest->'job'->'interface')) filter (where rev.id is not null), '[]') as revisions
     from unnest($1::text[], $2::text[], $3::bigint[]) as wanted(name, version, revision)
     join job_type jt on jt.name = wanted.name and jt.version = wanted.version and jt.deleted is null
     left join job_type_rev rev on rev.job_type_id = jt.id
       and rev.revision_num = case wanted.revision when 0 then jt.revision_num else wanted.revision end
     group by jt.id`,
    [types.map((type) => type.name), types.map((type) => type.version), types.map((type) => type.revision)],
  );
  return new Map(
    rows.map(({ name, version, isActive, isSystem, latestRevision, revisions }) => {
      const interfaces = revisions.map((one) => [one.number, interfacesOf(one.interface)] as const);
      const isSystemOnly = isSystem && SYSTEM_ONLY.has(name);
      const facts = { isActive, isSystemOnly, latestRevision, revisions: new Map(interfaces) };
      return [jobTypeKey(name, version), facts];
    }),
  );
}

/** The inputs and outputs of a job with this interface. */
export function interfacesOf(jobInterface: ManifestInterface): { inputs: Interface; outputs: Interface } {
  const manifest = { job: { interface: jobInterface } } as Manifest;
  return { inputs: inputInterfaceOf(manifest), outputs: outputInterfaceOf(manifest) };
}

interface RecipeTypeFactRow {
  readonly name: string;
  readonly isActive: boolean;
  readonly latestRevision: number;
  readonly revisions: readonly { readonly number: number; readonly input: Interface }[];
  readonly contains: readonly string[];
}

/** Recipe types of these names with the inputs of the mentioned revisions. */
export async function recipeTypeFacts(
  sql: Sql,
  types: readonly MentionedRecipeRevision[],
): Promise<ReadonlyMap<string, SubRecipeFacts>> {
  if (types.length === 0) return new Map();
  const rows = await sql.execute<RecipeTypeFactRow>(
    `with recursive inside as (
       select rt.id as root, link.sub_recipe_type_id as id
       from recipe_type rt join recipe_type_sub_type link on link.recipe_type_id = rt.id
       where rt.name = any($1::text[])
       union select inside.root, link.sub_recipe_type_id
       from inside join recipe_type_sub_type link on link.recipe_type_id = inside.id
     )
     select rt.name, rt.is_active as "isActive", rt.revision_num as "latestRevision",
       coalesce(json_agg(json_build_object('number', rev.revision_num, 'input', rev.definition->'input'))
         filter (where rev.id is not null), '[]') as revisions,
       array(select sub.name from inside join recipe_type sub on sub.id = inside.id
         where inside.root = rt.id)::text[] as contains
     from unnest($1::text[], $2::bigint[]) as wanted(name, revision)
     join recipe_type rt on rt.name = wanted.name and rt.deleted is null
     left join recipe_type_rev rev on rev.recipe_type_id = rt.id
       and rev.revision_num = case wanted.revision when 0 then rt.revision_num else wanted.revision end
     group by rt.id`,
    [types.map((type) => type.name), types.map((type) => type.revision)],
  );
  return new Map(
    rows.map(({ name, isActive, latestRevision, revisions, contains }) => {
      const inputs = revisions.map(({ number, input }) => [number, { input }] as const);
      return [name, { isActive, latestRevision, revisions: new Map(inputs), contains: new Set(contains) }];
    }),
  );
}

/** Ids of the types that a definition names; missing ones are left out. */
export async function linkedTypeIds(
  sql: Sql,
  jobTypes: readonly { readonly name: string; readonly version: string }[],
  recipeTypes: readonly string[],
): Promise<{ readonly jobTypeIds: readonly number[]; readonly subRecipeTypeIds: readonly number[] }> {
  const [jobs, recipes] = await Promise.all([
    sql.execute<{ id: number }>(
      `select jt.id from unnest($1::text[], $2::text[]) as wanted(name, version)
       join job_type jt on jt.name = wanted.name and jt.version = wanted.version and jt.deleted is null`,
      [jobTypes.map((type) => type.name), jobTypes.map((type) => type.version)],
    ),
    sql.execute<{ id: number }>(
      'select id from recipe_type where name = any($1::text[]) and deleted is null',
      [recipeTypes],
    ),
  ]);
  return { jobTypeIds: jobs.map((row) => row.id), subRecipeTypeIds: recipes.map((row) => row.id) };
}

/** Manifests of all job nodes of a recipe type revision, including its sub-recipes. */
export async function manifestsOfRecipe(sql: Sql, recipeTypeRevId: number): Promise<readonly Manifest[]> {
  const node = `node.value->'node_type'`;
  const rows = await sql.execute<{ manifest: Manifest }>(
    `with recursive revs as (
       select rev.id, rev.definition from recipe_type_rev rev where rev.id = $1
       union
       select sub.id, sub.definition
       from revs cross join jsonb_each(revs.definition->'nodes') as node
       join recipe_type rt on rt.name = ${node}->>'recipe_type_name'
       join recipe_type_rev sub on sub.recipe_type_id = rt.id
         and sub.revision_num = (${node}->>'recipe_type_revision')::int
     )
     select distinct on (rev.id) rev.manifest
     from revs cross join jsonb_each(revs.definition->'nodes') as node
     join job_type jt on jt.name = ${node}->>'job_type_name' and jt.version = ${node}->>'job_type_version'
     join job_type_rev rev on rev.job_type_id = jt.id
       and rev.revision_num = (${node}->>'job_type_revision')::int`,
    [recipeTypeRevId],
  );
  return rows.map((row) => row.manifest);
}
