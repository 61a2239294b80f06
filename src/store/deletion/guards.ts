/**
 * Refuses turns that would change deleted records or add references to them. A group holds the lock of deletions shared
 * (`lockLeases`), so no record is deleted between these checks and its commit.
 */
import type { JobMove } from '../../domain/job/job.ts';
import { outputWorkspaceNames } from '../../domain/job/job-config.ts';
import type { Group } from '../sql/group.ts';
import { idArray, textArray } from '../sql/rows.ts';
import type { Sql, Statement } from '../sql/sql.ts';

const NEEDED = ['recipe_type', 'job_type', 'batch', 'dataset'] as const;
const FINDERS = ['strike', 'scan'] as const;
type Needed = (typeof NEEDED)[number];
type Finder = (typeof FINDERS)[number];
/** `edited-…`: what a turn only changes. */
type MentionedKind = Needed | Finder | `edited-${Finder}` | 'workspace';

/** The turns that mention each record, by kind and id; workspaces by name. */
class Mentioned {
  readonly turns = new Map<string, Set<number>>();
  readonly #ids = new Map<MentionedKind, Set<number | string>>();

  add(kind: MentionedKind, id: number | string | null, turn: number): void {
    if (id === null) return;
    const ids = this.#ids.get(kind) ?? new Set();
    this.#ids.set(kind, ids.add(id));
    const key = `${kind} ${id}`;
    const turns = this.turns.get(key) ?? new Set();
    this.turns.set(key, turns.add(turn));
  }

  has(kind: MentionedKind): boolean {
    return this.#ids.has(kind);
  }

  /** As a parameter. */
  idsOf(kind: MentionedKind): string {
    const ids = this.#ids.get(kind) ?? [];
    return kind === 'workspace' ? textArray(ids as Iterable<string>) : idArray(ids as Iterable<number>);
  }
}

/** For ingests, which have no foreign keys to what finds them (0022-lighter-ingests.ts), this is the only check. */
const absentOf = (kind: Needed | Finder) => (param: string) =>
  /* sql */ `
    select '${kind} ' || m.id as key from unnest(${param}::bigint[]) as m(id)
    where not exists (select from ${kind} r where r.id = m.id
      and (r.deleted is null${kind === 'job_type' ? ' or r.expires is not null' : ''}))   -- = ${kind}_pkey`;

/** Unlike `absentOf` this ignores records without a row: there is nothing to change. */
const deletedOf = (kind: Finder) => (param: string) =>
  /* sql */ `
    select 'edited-${kind} ' || r.id as key from ${kind} r
    where r.id = any(${param}::bigint[]) and r.deleted is not null   -- = ${kind}_pkey`;

const absentWorkspaces = (param: string) => /* sql */ `
    select 'workspace ' || m.name as key from unnest(${param}::text[]) as m(name)
    where not exists (select from workspace r where r.name = m.name and r.deleted is null)   -- = workspace_name_key`;

/** The deleted records of each kind among those of the parameter, whether or not their rows are left. */
const DELETED: readonly (readonly [MentionedKind, (param: string) => string])[] = [
  ...[...NEEDED, ...FINDERS].map((kind) => [kind, absentOf(kind)] as const),
  ...FINDERS.map((kind) => [`edited-${kind}`, deletedOf(kind)] as const),
  ['workspace', absentWorkspaces],
];

const statements = new Map<string, Statement>();

/**
 * The statement for the kinds that a group mentions, mostly one or two. In a commit of one job the statement for all
 * kinds took PostgreSQL 70 us, this one takes 20.
 */
function deletedAmong(kinds: typeof DELETED): Statement {
  const name = `deleted_records_${kinds.map((one) => DELETED.indexOf(one)).join('_')}`;
  const known = statements.get(name);
  if (known !== undefined) return known;
  const text = kinds.map(([, textOf], at) => textOf(`$${at + 1}`)).join('\n    union all');
  const statement = { name, text };
  statements.set(name, statement);
  return statement;
}

/** Refuses turns that create work of deleted records, or change such records. */
export async function refuseDeleted(sql: Sql, group: Group): Promise<void> {
  const mentioned = mentionedBy(group);
  const kinds = DELETED.filter(([kind]) => mentioned.has(kind));
  if (kinds.length > 0) {
    const ids = kinds.map(([kind]) => mentioned.idsOf(kind));
    const rows = await sql.execute<{ key: string }>(deletedAmong(kinds), ids);
    for (const { key } of rows)
      for (const turn of mentioned.turns.get(key) ?? [])
        group.refuse(turn, `${key.replace('edited-', '')} is deleted`);
  }
  await refuseRequeues(sql, group);
}

function mentionedBy(group: Group): Mentioned {
  const mentioned = new Mentioned();
  for (const { change, turn } of group.placed('createRecipes')) {
    for (const { recipeTypeId, batchId, configuration } of change.recipes) {
      mentioned.add('recipe_type', recipeTypeId, turn);
      mentioned.add('batch', batchId, turn);
      for (const name of outputWorkspaceNames(configuration)) mentioned.add('workspace', name, turn);
    }
  }
  for (const { change, turn } of group.placed('createJobs')) {
    for (const { jobTypeId, configuration } of change.jobs) {
      mentioned.add('job_type', jobTypeId, turn);
      for (const name of outputWorkspaceNames(configuration)) mentioned.add('workspace', name, turn);
    }
  }
  for (const { change, turn } of group.placed('createBatches')) {
    for (const { recipeTypeId, supersededBatchId, definition } of change.batches) {
      mentioned.add('recipe_type', recipeTypeId, turn);
      mentioned.add('batch', supersededBatchId, turn);
      mentioned.add('dataset', definition.dataset ?? null, turn);
    }
  }
  for (const { change, turn } of group.placed('editBatch')) mentioned.add('batch', change.batchId, turn);
  for (const { change, turn } of group.placed('recordArrivals'))
    mentioned.add(change.owner.kind, change.owner.key, turn);
  for (const { change, turn } of group.placed('editStrike'))
    mentioned.add('edited-strike', change.strikeId, turn);
  for (const { change, turn } of group.placed('editScan')) mentioned.add('edited-scan', change.scanId, turn);
  return mentioned;
}

/** What a strike or scan `s` names is deleted. */
const NAMES_DELETED = /* sql */ `(
  exists (
    select from workspace r where r.deleted is not null and (r.id = s.workspace_id
      or jsonb_path_exists(s.configuration->'files_to_ingest', '$[*].new_workspace ? (@ == $name)',
        jsonb_build_object('name', r.name))))
  or exists (
    select from recipe_type r where r.deleted is not null and r.name = s.configuration->'recipe'->>'name'))`;

/** What a job `j` of the type `t` belongs to, or would store its products in, is deleted. */
export const JOB_IS_OF_DELETED = /* sql */ `(
  t.deleted is not null
  or j.owner_kind = 'strike' and exists (
    select from strike s where s.id = j.owner_key
      and (s.deleted is not null or s.job_id = j.id and ${NAMES_DELETED}))
  or j.owner_kind = 'scan' and exists (
    select from scan s where s.id = j.owner_key
      and (s.deleted is not null or j.id in (s.job_id, s.dry_run_job_id) and ${NAMES_DELETED}))
  or exists (select from batch r where r.id in (j.batch_id, j.live_batch_id) and r.deleted is not null)
  or exists (
    select from recipe holder join recipe_type r on r.id = holder.recipe_type_id
    where holder.id = any(j.recipe_ids) and r.deleted is not null)
  or exists (
    select from workspace r where r.deleted is not null
      and jsonb_path_exists(coalesce(j.configuration->'output_workspaces', t.configuration->'output_workspaces'),
        '$.** ? (@ == $name)', jsonb_build_object('name', r.name))))`;

const REQUEUED = {
  name: 'requeued_jobs_of_deleted',
  text: /* sql */ `
    select j.id from job j join job_type t on t.id = j.job_type_id
    where j.id = any($1::bigint[]) and ${JOB_IS_OF_DELETED}   -- = job_pkey`,
};

/** Records may be deleted while FAILED and CANCELED jobs belong to them; such jobs cannot be requeued afterwards. */
async function refuseRequeues(sql: Sql, group: Group): Promise<void> {
  const turns = new Map<number, number>();
  for (const { change, turn } of group.placed('moveJobs'))
    for (const move of change.moves) if (isRequeue(move)) turns.set(move.jobId, turn);
  if (turns.size === 0) return;
  const rows = await sql.execute<{ id: number }>(REQUEUED, [idArray(turns.keys())]);
  for (const { id } of rows) group.refuse(turns.get(id) as number, `what job ${id} belongs to is deleted`);
}

function isRequeue({ kind, from }: JobMove): boolean {
  return kind === 'queue' && (from.includes('FAILED') || from.includes('CANCELED'));
}

const LIVE_OF_DELETED = {
  name: 'live_finders_of_deleted',
  text: /* sql */ `
    select 'strike ' || s.id as key from strike s
    where s.id = any($1::bigint[]) and not s.is_paused and ${NAMES_DELETED}   -- = strike_pkey
    union all
    select 'scan ' || s.id from scan s
    where s.id = any($2::bigint[]) and (s.run is not null or s.waiting <> '[]') and ${NAMES_DELETED}`,
};

/** Refuses turns after which a strike or scan that names a deleted record is live. Runs when they are written. */
export async function refuseLiveOfDeleted(sql: Sql, group: Group): Promise<void> {
  const turns = new Map<string, number>();
  const strikeIds: number[] = [];
  const scanIds: number[] = [];
  for (const { change, turn } of group.placed('editStrike')) {
    if (change.patch.isPaused !== false && change.patch.configuration === undefined) continue;
    strikeIds.push(change.strikeId);
    turns.set(`strike ${change.strikeId}`, turn);
  }
  for (const { change, turn } of group.placed('editScan')) {
    const { run, waiting, configuration } = change.patch;
    if ((run ?? waiting ?? configuration) === undefined) continue;
    scanIds.push(change.scanId);
    turns.set(`scan ${change.scanId}`, turn);
  }
  if (turns.size === 0) return;
  const rows = await sql.execute<{ key: string }>(LIVE_OF_DELETED, [idArray(strikeIds), idArray(scanIds)]);
  for (const { key } of rows) group.refuse(turns.get(key) as number, `${key} names a deleted record`);
  group.throwIfRefused();
}
