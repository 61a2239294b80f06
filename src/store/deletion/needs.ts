/**
 * Finds what still needs a record: work that has not ended, and active records that name it. All of it is read before
 * the transaction of the deletion. That transaction excludes others that could add a reference, and reads only recent
 * changes again, so that it blocks them briefly, however much history there is.
 */
import type { Sql } from '../sql/sql.ts';
import type { DeletableKind, Target } from './kinds.ts';

export type NeedKind = 'file' | 'purge' | 'job' | 'recipe' | 'ingest' | Exclude<DeletableKind, 'dataset'>;

export interface Need {
  readonly kind: NeedKind;
  readonly id: number;
  readonly name: string | null;
  /** A sentence. */
  readonly reason: string;
}

export interface Needs {
  /** The first of them. */
  readonly listed: readonly Need[];
  /** How many there are besides; at least so many if `isCut`. */
  readonly moreCount: number;
  readonly isCut: boolean;
}

/** Revisions of recipe types and job types whose future work would need the record. */
export interface IndirectUse {
  readonly recipeTypeRevIds: readonly number[];
  readonly jobTypeIds: readonly number[];
}

/** limit: needs that an answer lists. */
const NEEDS_LISTED = 20;
/** limit: needs of one source that are counted. */
const COUNTED_MAX = 1_000;

/** A query of ids and names. `g`: the record, and the bounds of the search. */
interface Source {
  readonly kind: NeedKind;
  readonly says: (row: { readonly id: number; readonly name: string | null }) => string;
  readonly text: string;
}

/** A rule of the strike or scan `s` moves files to the workspace. */
const MOVES_TO = `jsonb_path_exists(s.configuration->'files_to_ingest', '$[*].new_workspace ? (@ == $name)',
  jsonb_build_object('name', g.name))`;
/** The job configuration stores products in the workspace. */
const storesIn = (configuration: string, name = 'g.name') =>
  `jsonb_path_exists(${configuration}->'output_workspaces', '$.** ? (@ == $name)',
    jsonb_build_object('name', ${name}))`;
const ingests = (key: string) => `exists (
  select from ingest i where i.${key} = s.id and i.status in ('TRANSFERRED', 'INGESTING'))`;
// = ingest_live_idx
const STRIKE_IS_LIVE = `s.deleted is null and (not s.is_paused or ${ingests('strike_id')})`;
// = ingest_scan_live_idx
const SCAN_IS_LIVE = `s.deleted is null and (s.run is not null or s.cancel_through is not null or s.waiting <> '[]'
  or ${ingests('scan_id')})`;
/** FAILED and CANCELED jobs have ended, and so has a recipe that continues only when they are requeued. */
const RECIPE_IS_LIVE = `not r.is_completed and r.last_modified >= g.since   -- = recipe_open_idx
  and (r.jobs_pending + r.jobs_blocked + r.jobs_queued + r.jobs_running > 0
    or not r.is_superseded and r.jobs_failed + r.jobs_canceled = 0)`;

const named = (what: string) => (row: { id: number; name: string | null }) => `${what} '${row.name}'`;

function strikes(uses: string): Source[] {
  return [
    {
      kind: 'strike',
      says: (row) => `${named('the strike')(row)} is not paused, or has ingests under way`,
      text: `select s.id, s.name from strike s, g where (${uses}) and ${STRIKE_IS_LIVE}`,
    },
    {
      kind: 'scan',
      says: (row) => `${named('the scan')(row)} is under way`,
      text: `select s.id, s.name from scan s, g where (${uses}) and ${SCAN_IS_LIVE}`,
    },
  ];
}

const jobHasNotEnded = ({ id }: { id: number }) => `the job ${id} has not ended`;
const recipeHasNotEnded = ({ id }: { id: number }) => `the recipe ${id} has not ended`;

/** Jobs of these types. Two queries, each with an index of its own. */
const JOBS_OF_TYPES: readonly Source[] = [
  {
    kind: 'job',
    says: jobHasNotEnded,
    text: `select j.id, null from job j, g
      where j.status in ('PENDING', 'QUEUED', 'RUNNING') and j.job_type_id = any(g.types)   -- = job_live_status_idx`,
  },
  {
    kind: 'job',
    says: jobHasNotEnded,
    text: `select j.id, null from job j, g
      where j.status = 'BLOCKED' and j.job_type_id = any(g.types)   -- = job_blocked_idx`,
  },
];
const RECIPES_OF_REVISIONS: Source = {
  kind: 'recipe',
  says: recipeHasNotEnded,
  text: `select r.id, null from recipe r, g where r.recipe_type_rev_id = any(g.revisions) and ${RECIPE_IS_LIVE}`,
};
const activeHolders = (link: string, key: string): Source => ({
  kind: 'recipe_type',
  says: (row) => `${named('the recipe type')(row)} is active and contains it`,
  text: `select t.id, t.name from ${link} l join recipe_type t on t.id = l.recipe_type_id, g
    where l.${key} = g.id and t.is_active and t.deleted is null`,
});
const batchesUnderWay = (uses: string): Source => ({
  kind: 'batch',
  says: ({ id }) => `the batch ${id} does not have all its recipes yet`,
  text: `select b.id, null from batch b, g where not b.is_creation_done and (${uses})   -- = batch_open_idx`,
});
const unendedIngests = (key: string): Source => ({
  kind: 'ingest',
  says: (row) => `the ingest ${row.id} of '${row.name}' has not ended`,
  text: `select i.id, i.file_name from ingest i, g
    where i.${key} = g.id and i.status in ('TRANSFERRED', 'INGESTING')`,
});
/** Those that wait are canceled before the transaction of the deletion. */
const ownJobs = (ids: string, table: string): Source => ({
  kind: 'job',
  says: jobHasNotEnded,
  text: `select j.id, null from ${table} s join job j on j.id in (${ids}), g
    where s.id = g.id and (j.status = 'RUNNING'
      or g.is_late and j.status not in ('FAILED', 'COMPLETED', 'CANCELED'))`,
});
const files = (condition: string): Source => ({
  kind: 'file',
  says: (row) => `the file ${row.id} ('${row.name}') is not deleted`,
  text: `select f.id, f.file_name from file f, g where f.workspace_id = g.id and not f.is_deleted and ${condition}`,
});

const SOURCES: Readonly<Record<DeletableKind, readonly Source[]>> = {
  workspace: [
    ...strikes(`s.workspace_id = g.id or ${MOVES_TO}`),
    {
      kind: 'job_type',
      says: (row) => `${named('the job type')(row)} is active and stores products in it`,
      text: `select t.id, t.name || ' ' || t.version from job_type t, g
        where t.is_active and t.deleted is null and ${storesIn('t.configuration')}`,
    },
    ...JOBS_OF_TYPES,
    {
      kind: 'job',
      says: jobHasNotEnded,
      text: `select j.id, null from job j, g
        where j.status in ('PENDING', 'BLOCKED', 'QUEUED', 'RUNNING') and j.configuration is not null
          and j.last_modified >= g.since   -- = job_modified_idx
          and ${storesIn('j.configuration')}`,
    },
    RECIPES_OF_REVISIONS,
    {
      kind: 'recipe',
      says: recipeHasNotEnded,
      text: `select r.id, null from recipe r, g
        where r.configuration is not null and ${RECIPE_IS_LIVE} and ${storesIn('r.configuration')}`,
    },
    {
      kind: 'purge',
      says: ({ id }) => `the purge ${id} is not completed`,
      text: `select p.id, null from purge p, g where p.workspace_id = g.id and p.phase <> 'done'   -- = purge_open_idx`,
    },
    files('not f.is_superseded   -- = file_path_key\n'),
    files('f.is_superseded   -- = file_superseded_workspace_idx\n'),
  ],
  strike: [
    {
      kind: 'strike',
      says: () => 'the strike is not paused',
      text: 'select s.id, s.name from strike s, g where s.id = g.id and not s.is_paused',
    },
    unendedIngests('strike_id'),
    ownJobs('s.job_id', 'strike'),
  ],
  scan: [
    {
      kind: 'scan',
      says: () => 'the scan is under way',
      text: `select s.id, s.name from scan s, g where s.id = g.id
        and (s.run is not null or s.cancel_through is not null or s.waiting <> '[]')`,
    },
    unendedIngests('scan_id'),
    ownJobs('s.job_id, s.dry_run_job_id', 'scan'),
  ],
  dataset: [batchesUnderWay(`b.definition->>'dataset' = g.id::text`)],
  batch: [
    batchesUnderWay('b.id = g.id or b.superseded_batch_id = g.id'),
    {
      kind: 'recipe',
      says: recipeHasNotEnded,
      text: `select r.id, null from recipe r, g where r.batch_id = g.id and ${RECIPE_IS_LIVE}`,
    },
  ],
  job_type: [...JOBS_OF_TYPES, activeHolders('recipe_type_job_type', 'job_type_id'), RECIPES_OF_REVISIONS],
  recipe_type: [
    RECIPES_OF_REVISIONS,
    batchesUnderWay('b.recipe_type_id = g.id'),
    activeHolders('recipe_type_sub_type', 'sub_recipe_type_id'),
    ...strikes(`s.configuration->'recipe'->>'name' = g.name`),
  ],
};

const OUTPUTS_OF_TYPES = /* sql */ `
  select t.id, t.name, t.version from job_type t
  where t.deleted is null and ${storesIn('t.configuration', '$1::text')}`;

/** Revisions that contain one of the types, however deep. */
const HOLDERS = /* sql */ `
  with recursive holder as (
    select rev.id, rev.recipe_type_id from recipe_type_rev rev
    where rev.recipe_type_id = $1 or exists (
      select from unnest($2::text[], $3::text[]) as type(name, version)
      where jsonb_path_exists(rev.definition->'nodes',
        '$.*.node_type ? (@.job_type_name == $name && @.job_type_version == $version)',
        jsonb_build_object('name', type.name, 'version', type.version)))
    union
    select rev.id, rev.recipe_type_id from holder join recipe_type inner_type on inner_type.id = holder.recipe_type_id
    join recipe_type_rev rev on jsonb_path_exists(rev.definition->'nodes',
      '$.*.node_type ? (@.recipe_type_name == $name)', jsonb_build_object('name', inner_type.name))
  )
  select distinct id from holder`;

/**
 * Read once, before the transaction. A reference that is added later is found all the same, because its record is
 * active.
 */
export async function indirectUseOf(sql: Sql, target: Target): Promise<IndirectUse> {
  const { kind, id, name, version } = target;
  const jobTypes =
    kind === 'job_type'
      ? [{ id, name, version }]
      : kind === 'workspace'
        ? await sql.execute<{ id: number; name: string; version: string }>(OUTPUTS_OF_TYPES, [name])
        : [];
  const isHeld = kind === 'recipe_type' || jobTypes.length > 0;
  const revisions = isHeld
    ? await sql.execute<{ id: number }>(HOLDERS, [
        kind === 'recipe_type' ? id : 0,
        jobTypes.map((type) => type.name),
        jobTypes.map((type) => type.version),
      ])
    : [];
  return { recipeTypeRevIds: revisions.map((row) => row.id), jobTypeIds: jobTypes.map((type) => type.id) };
}

interface Found {
  readonly source: number;
  readonly id: number;
  readonly name: string | null;
  readonly total: number;
  readonly isCut: boolean;
}

/** `isLate`: of large tables, only rows that changed in the last ten minutes are searched. */
export async function needsOf(sql: Sql, target: Target, ways: IndirectUse, isLate = false): Promise<Needs> {
  const { id, name } = target;
  const sources = SOURCES[target.kind];
  const parts = sources.map(
    ({ text }, at) => `(select ${at} as source, found.id, found.name::text as name from (
      ${text}
    ) as found(id, name)
      order by found.id limit ${COUNTED_MAX + 1})`,
  );
  const rows = await sql.execute<Found>(
    `with g as materialized (
       select $1::bigint as id, $2::text as name, $3::bigint[] as revisions, $4::bigint[] as types,
         $5::boolean as is_late,
         case when $5::boolean then now() - interval '10 minutes' else '-infinity' end as since),
     found as materialized (${parts.join('\n union all ')})
     select source, id, name, (select count(*) from found)::int as total,
       exists (select from found group by source having count(*) > ${COUNTED_MAX}) as "isCut"
     from found order by source, id limit ${NEEDS_LISTED}`,
    [id, name, ways.recipeTypeRevIds, ways.jobTypeIds, isLate],
  );
  const listed = rows.map((row): Need => {
    const { kind, says } = sources[row.source] as Source;
    return { kind, id: row.id, name: row.name, reason: says(row) };
  });
  const [first] = rows;
  return { listed, moreCount: (first?.total ?? 0) - rows.length, isCut: first?.isCut === true };
}
