/**
 * Caches revisions with everything that running them needs. Revisions never change, so they are kept; a job type's
 * configuration does, so each use checks which job types have changed since. There is one object for each revision and
 * version of its job types, so they may be compared by identity.
 */
import { LRUCache } from 'lru-cache';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { JobNode, RecipeDefinition, SubRecipeNode } from '../../domain/recipe/recipe-definition.ts';
import type { JobTypeRevision, RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { assert } from '../../lib/assert.ts';
import { idArray, textArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

/** limit: revisions of each kind in memory; the least recently used are dropped first. */
const REVISIONS_MAX = 2_000;

interface JobRevisionRow {
  readonly rev_id: number;
  readonly revision_num: number;
  readonly container_image: string;
  readonly manifest: Manifest;
  readonly job_type_id: number;
  readonly name: string;
  readonly version: string;
  readonly is_active: boolean;
  readonly is_system: boolean;
  readonly configuration: Record<string, unknown>;
  readonly max_tries: number;
  readonly last_modified: number;
  readonly newest_num: number;
}

const JOB_REVISION_COLUMNS = /* sql */ `
  rev.id as rev_id, rev.revision_num, type.revision_num as newest_num, rev.container_image, rev.manifest,
  type.id as job_type_id, type.name,
  type.version, type.is_active, type.is_system, type.configuration, type.max_tries, type.last_modified
  from job_type_rev as rev join job_type as type on type.id = rev.job_type_id`;

const JOB_REVISIONS = {
  name: 'job_revisions',
  isKeyed: true,
  text: /* sql */ `select ${JOB_REVISION_COLUMNS} where rev.id = any($1::bigint[])   -- = job_type_rev_pkey`,
};

/** The newest revisions of job types. */
const NEWEST_JOB_REVISIONS = {
  name: 'newest_job_revisions',
  isKeyed: true,
  text: /* sql */ `
    select ${JOB_REVISION_COLUMNS} and rev.revision_num = type.revision_num   -- = job_type_rev_num_key
    where type.id = any($1::bigint[])   -- = job_type_pkey`,
};

/** Revision 0 is the newest. */
const NAMED_JOB_REVISIONS = {
  name: 'named_job_revisions',
  isKeyed: true,
  text: /* sql */ `
    select wanted.num as wanted_num, ${JOB_REVISION_COLUMNS}
    join unnest($1::text[], $2::text[], $3::int[]) as wanted(name, version, num)
      on wanted.name = type.name and wanted.version = type.version   -- = job_type_name_version_key
        and rev.revision_num = case when wanted.num = 0 then type.revision_num else wanted.num end`,
};

/** Checks whether the job types of revisions are unchanged. */
const CHANGED_JOB_TYPES = {
  name: 'changed_job_types',
  isKeyed: true,
  text: /* sql */ `
    select type.id from job_type as type
    join unnest($1::bigint[], $2::float8[]) as known(id, at) on known.id = type.id   -- = job_type_pkey
    where floor(extract(epoch from type.last_modified) * 1000)::bigint <> known.at::bigint`,
};

interface RecipeRevRow {
  readonly rev_id: number;
  readonly revision_num: number;
  readonly definition: RecipeDefinition;
  readonly recipe_type_id: number;
  readonly name: string;
}

const RECIPE_REV_COLUMNS = /* sql */ `
  rev.id as rev_id, rev.revision_num, rev.definition, type.id as recipe_type_id, type.name
  from recipe_type_rev as rev join recipe_type as type on type.id = rev.recipe_type_id`;

const RECIPE_REVS = {
  name: 'recipe_revs',
  isKeyed: true,
  text: /* sql */ `select ${RECIPE_REV_COLUMNS} where rev.id = any($1::bigint[])   -- = recipe_type_rev_pkey`,
};

const NAMED_RECIPE_REVS = {
  name: 'named_recipe_revs',
  isKeyed: true,
  text: /* sql */ `
    select wanted.num as wanted_num, ${RECIPE_REV_COLUMNS}
    join unnest($1::text[], $2::int[]) as wanted(name, num) on wanted.name = type.name
      -- = recipe_type_name_key
      and rev.revision_num = case when wanted.num = 0 then type.revision_num else wanted.num end`,
};

/** The revision for new recipes of a type: none if it is deprecated. */
const CURRENT_RECIPE_REV = {
  name: 'current_recipe_rev',
  isKeyed: true,
  text: /* sql */ `
    select rev.id from recipe_type as type join recipe_type_rev as rev on rev.recipe_type_id = type.id
    where type.name = $1 and type.is_active and rev.revision_num = coalesce($2::int, type.revision_num)`,
};

/** A revision with the job types that it was built from: id -> `last_modified`. */
interface Kept<P> {
  readonly revision: P;
  readonly types: ReadonlyMap<number, number>;
}

export class RevisionCache {
  readonly #sql: Sql;
  readonly #jobs = new LRUCache<number, Kept<JobTypeRevision>>({ max: REVISIONS_MAX });
  readonly #recipes = new LRUCache<number, Kept<RecipeTypeRevision>>({ max: REVISIONS_MAX });

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** By id of job type revisions; unknown ones are left out. */
  async jobRevisions(revIds: Iterable<number>): Promise<ReadonlyMap<number, JobTypeRevision>> {
    return this.#fresh(this.#jobs, revIds, async (missing) => {
      const rows = await this.#sql.execute<JobRevisionRow>(JOB_REVISIONS, [idArray(missing)]);
      const newest = await this.#newestOf(rows);
      return new Map(rows.map((row) => [row.rev_id, keptJob(row, newest.get(row.job_type_id))]));
    });
  }

  /** By id of recipe type revisions; unknown ones are left out. */
  async recipeRevisions(revIds: Iterable<number>): Promise<ReadonlyMap<number, RecipeTypeRevision>> {
    return this.#fresh(this.#recipes, revIds, (missing) => this.#build(missing));
  }

  /** The given revision for new recipes of a type, or the newest. Undefined: unknown or deprecated. */
  async currentRecipeRevision(
    name: string,
    revisionNum: number | null,
  ): Promise<RecipeTypeRevision | undefined> {
    const [row] = await this.#sql.execute<{ id: number }>(CURRENT_RECIPE_REV, [name, revisionNum]);
    return row === undefined ? undefined : (await this.recipeRevisions([row.id])).get(row.id);
  }

  /** Returns cached revisions that are still valid, and reads the others. */
  async #fresh<P>(
    kept: LRUCache<number, Kept<P>>,
    revIds: Iterable<number>,
    read: (missing: readonly number[]) => Promise<ReadonlyMap<number, Kept<P>>>,
  ): Promise<ReadonlyMap<number, P>> {
    const wanted = new Map([...revIds].map((id) => [id, kept.get(id)]));
    const changed = await this.#changedTypes([...wanted.values()]);
    const found = new Map<number, P>();
    const missing: number[] = [];
    for (const [id, one] of wanted) {
      const isFresh = one !== undefined && ![...one.types.keys()].some((typeId) => changed.has(typeId));
      if (isFresh) found.set(id, one.revision);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    for (const [id, one] of await read(missing)) {
      kept.set(id, one);
      found.set(id, one.revision);
    }
    return found;
  }

  async #changedTypes(kept: readonly (Kept<unknown> | undefined)[]): Promise<ReadonlySet<number>> {
    const types = new Map<number, number>();
    for (const one of kept) for (const [id, at] of one?.types ?? []) types.set(id, at);
    if (types.size === 0) return new Set();
    const params = [idArray(types.keys()), `{${[...types.values()].join(',')}}`];
    const rows = await this.#sql.execute<{ id: number }>(CHANGED_JOB_TYPES, params);
    return new Set(rows.map((row) => row.id));
  }

  /** Reads revisions level by level, then their job types with one statement, then combines them. */
  async #build(revIds: readonly number[]): Promise<ReadonlyMap<number, Kept<RecipeTypeRevision>>> {
    const revs = new RevIndex();
    let rows = await this.#sql.execute<RecipeRevRow>(RECIPE_REVS, [idArray(revIds)]);
    while (rows.length > 0) {
      const wanted = revs.add(rows);
      const nums = wanted.map((one) => one.recipe_type_revision);
      const names = textArray(wanted.map((one) => one.recipe_type_name));
      rows =
        wanted.length === 0
          ? []
          : await this.#sql.execute<RecipeRevRow>(NAMED_RECIPE_REVS, [names, `{${nums.join(',')}}`]);
    }
    const jobs = await this.#namedJobs(revs.jobNodes);
    return new Map(
      revIds.flatMap((id): [number, Kept<RecipeTypeRevision>][] => {
        const row = revs.byId.get(id);
        return row === undefined ? [] : [[id, revs.revisionOf(row, jobs)]];
      }),
    );
  }

  async #namedJobs(nodes: readonly JobNode[]): Promise<JobsByName> {
    if (nodes.length === 0) return new Map();
    const wanted = [...new Map(nodes.map((node) => [keyOfJobNode(node), node])).values()];
    const rows = await this.#sql.execute<JobRevisionRow & { wanted_num: number }>(NAMED_JOB_REVISIONS, [
      textArray(wanted.map((node) => node.job_type_name)),
      textArray(wanted.map((node) => node.job_type_version)),
      `{${wanted.map((node) => node.job_type_revision).join(',')}}`,
    ]);
    const newest = await this.#newestOf(rows);
    return new Map(
      rows.map((row) => [
        jobKey(row.name, row.version, row.wanted_num),
        keptJob(row, newest.get(row.job_type_id)),
      ]),
    );
  }

  /** By job type, for rows that are not the newest revision. A new revision changes the type, so all is read again. */
  async #newestOf(rows: readonly JobRevisionRow[]): Promise<ReadonlyMap<number, JobTypeRevision>> {
    const behind = rows.filter((row) => row.revision_num < row.newest_num).map((row) => row.job_type_id);
    if (behind.length === 0) return new Map();
    const newest = await this.#sql.execute<JobRevisionRow>(NEWEST_JOB_REVISIONS, [idArray(new Set(behind))]);
    return new Map(newest.map((row) => [row.job_type_id, jobRevisionOf(row)]));
  }
}

type JobsByName = ReadonlyMap<string, Kept<JobTypeRevision>>;

/** The revisions of a tree of recipe types. */
class RevIndex {
  readonly byId = new Map<number, RecipeRevRow>();
  readonly jobNodes: JobNode[] = [];
  readonly #byName = new Map<string, RecipeRevRow>();
  readonly #requested = new Set<string>();

  /** Adds rows; returns the sub-recipe nodes whose revisions are not known yet. */
  add(rows: readonly (RecipeRevRow & { readonly wanted_num?: number })[]): readonly SubRecipeNode[] {
    const wanted: SubRecipeNode[] = [];
    for (const row of rows) {
      this.byId.set(row.rev_id, row);
      if (row.wanted_num !== undefined) this.#byName.set(recipeKey(row.name, row.wanted_num), row);
    }
    for (const row of rows) {
      for (const { node_type: node } of Object.values(row.definition.nodes)) {
        if (node.node_type === 'job') this.jobNodes.push(node);
        if (node.node_type !== 'recipe') continue;
        const key = recipeKey(node.recipe_type_name, node.recipe_type_revision);
        if (this.#requested.has(key)) continue;
        this.#requested.add(key);
        wanted.push(node);
      }
    }
    return wanted;
  }

  revisionOf(row: RecipeRevRow, jobs: JobsByName): Kept<RecipeTypeRevision> {
    const types = new Map<number, number>();
    const jobRevisions = new Map<string, JobTypeRevision>();
    const subRecipes = new Map<string, RecipeTypeRevision>();
    for (const [name, { node_type: node }] of Object.entries(row.definition.nodes)) {
      if (node.node_type === 'job') {
        const job = jobs.get(keyOfJobNode(node));
        assert(job !== undefined, `the recipe type '${row.name}' names a job type that is not there`);
        jobRevisions.set(name, job.revision);
        for (const [id, at] of job.types) types.set(id, at);
      } else if (node.node_type === 'recipe') {
        const sub = this.#byName.get(recipeKey(node.recipe_type_name, node.recipe_type_revision));
        assert(sub !== undefined, `the recipe type '${row.name}' names one that is not there`);
        const kept = this.revisionOf(sub, jobs);
        subRecipes.set(name, kept.revision);
        for (const [id, at] of kept.types) types.set(id, at);
      }
    }
    const revision: RecipeTypeRevision = {
      recipeTypeId: row.recipe_type_id,
      recipeTypeRevId: row.rev_id,
      recipeTypeName: row.name,
      revisionNum: row.revision_num,
      definition: row.definition,
      jobs: jobRevisions,
      subRecipes,
    };
    return { revision, types };
  }
}

function recipeKey(name: string, num: number): string {
  return `${name}/${num}`;
}

function jobKey(name: string, version: string, num: number): string {
  return `${name}/${version}/${num}`;
}

function keyOfJobNode(node: JobNode): string {
  return jobKey(node.job_type_name, node.job_type_version, node.job_type_revision);
}

function keptJob(row: JobRevisionRow, newest: JobTypeRevision | undefined): Kept<JobTypeRevision> {
  const isBehind = newest !== undefined && newest.jobTypeRevId !== row.rev_id;
  const revision = { ...jobRevisionOf(row), ...(isBehind ? { newest } : {}) };
  return { revision, types: new Map([[row.job_type_id, row.last_modified]]) };
}

function jobRevisionOf(row: JobRevisionRow): JobTypeRevision {
  return {
    jobTypeId: row.job_type_id,
    jobTypeRevId: row.rev_id,
    jobTypeName: row.name,
    jobTypeVersion: row.version,
    isActive: row.is_active,
    isSystem: row.is_system,
    containerImage: row.container_image,
    manifest: row.manifest,
    configuration: row.configuration,
    maxTries: row.max_tries,
  };
}
