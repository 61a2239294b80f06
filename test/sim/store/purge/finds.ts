/** What descends from a purged file in the simulated database, found in rounds like src/store/purge/finds.ts. */
import type { LiveJobs, Owner } from '../../../../src/store/purge/finds.ts';
import type { Table } from '../table.ts';
import type { JobRow, PurgeMemberRow, Tables } from '../tables.ts';

/** Members that one step looks at: few, so that others come in between. */
const MEMBERS_MAX = 10;

export function addMember(
  table: Table<PurgeMemberRow>,
  purgeId: number,
  key: number,
  isWaiting: boolean,
): void {
  table.insert({ id: `${purgeId}/${key}`, purgeId, key, round: -1, isWaiting });
}

/** Some members that this round has not seen; they count as seen. */
export function takeMembers(table: Table<PurgeMemberRow>, purgeId: number, round: number): number[] {
  const rows = table.withKey(purgeId).filter((one) => one.round < round);
  const taken = rows.slice(0, MEMBERS_MAX);
  for (const { id } of taken) table.patch(id, { round });
  return taken.map((one) => one.key);
}

/** False: all have been seen in this round. */
export function findMore(tables: Tables, purgeId: number, round: number): boolean {
  const files = takeMembers(tables.purgeFiles, purgeId, round);
  for (const id of files) leadsOfFile(tables, purgeId, id);
  const trees = takeMembers(tables.purgeTrees, purgeId, round);
  for (const chain of trees) leadsOfTree(tables, purgeId, chain);
  const jobs = takeMembers(tables.purgeJobs, purgeId, round);
  for (const id of jobs) leadsOfJob(tables, purgeId, id);
  return files.length + trees.length + jobs.length > 0;
}

export function filesOf(
  document: { readonly files: Readonly<Record<string, readonly number[]>> } | undefined,
) {
  return Object.values(document?.files ?? {}).flat();
}

/** The chain of a recipe that is there; undefined when it is not. */
function chainOf(tables: Tables, recipeId: number | null): number | undefined {
  const recipe = recipeId === null ? undefined : tables.recipes.get(recipeId);
  return recipe?.chainId ?? recipe?.rootId;
}

function addOwner(tables: Tables, purgeId: number, job: JobRow): void {
  const chain = chainOf(tables, job.recipeId);
  if (chain === undefined) addMember(tables.purgeJobs, purgeId, job.id, true);
  else addMember(tables.purgeTrees, purgeId, chain, true);
}

function leadsOfFile(tables: Tables, purgeId: number, fileId: number): void {
  const { purgeTrees, purgeFiles } = tables;
  const row = tables.files.get(fileId);
  if (row !== undefined && !row.isDeleted)
    tables.files.patch(fileId, { isDeleted: true, isPublished: false });
  for (const recipe of tables.recipes.where((one) => filesOf(one.input?.input).includes(fileId)))
    addMember(purgeTrees, purgeId, recipe.chainId ?? recipe.rootId, true);
  const using = tables.jobs.where((one) => filesOf(one.input?.input).includes(fileId));
  const maker = tables.jobs.get(row?.jobId ?? 0);
  for (const job of maker === undefined ? using : [...using, maker]) addOwner(tables, purgeId, job);
  for (const one of tables.ancestry.where((line) => line.ancestorId === fileId && line.isDirect))
    addMember(purgeFiles, purgeId, one.descendantId, true);
}

function leadsOfTree(tables: Tables, purgeId: number, chain: number): void {
  for (const recipe of tables.recipes.withKey(chain)) {
    for (const job of tables.jobs.withKey(recipe.id)) addMember(tables.purgeJobs, purgeId, job.id, false);
    // Later recipes that took nodes of these over.
    for (const { recipeId } of tables.recipeNodes.where((one) => one.subRecipeId === recipe.id))
      addMember(tables.purgeTrees, purgeId, chainOf(tables, recipeId) ?? chain, true);
  }
}

function leadsOfJob(tables: Tables, purgeId: number, jobId: number): void {
  for (const file of tables.files.where((one) => one.jobId === jobId))
    addMember(tables.purgeFiles, purgeId, file.id, true);
  for (const { recipeId } of tables.recipeNodes.where((one) => one.jobId === jobId)) {
    const chain = chainOf(tables, recipeId);
    if (chain !== undefined) addMember(tables.purgeTrees, purgeId, chain, true);
  }
}

/** Whether descendants are known that were not found as anybody's product: they are members now. */
export function findStrays(tables: Tables, purgeId: number, fileId: number): boolean {
  const before = tables.purgeFiles.rows.size;
  for (const one of tables.ancestry.where((line) => line.ancestorId === fileId))
    addMember(tables.purgeFiles, purgeId, one.descendantId, true);
  return tables.purgeFiles.rows.size > before;
}

const LIVE = ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING'];

export function liveJobs(tables: Tables, purgeId: number): LiveJobs[] {
  const jobs = tables.purgeJobs.withKey(purgeId).flatMap(({ key }) => tables.jobs.get(key) ?? []);
  const live = jobs.filter((one) => LIVE.includes(one.status));
  const byOwner = Map.groupBy(live, ({ owner }) => `${owner.kind}/${owner.key}`);
  return [...byOwner.values()].flatMap((owned) => {
    const owner = owned[0]?.owner;
    return owner === undefined ? [] : [{ ...owner, jobIds: owned.map((one) => one.id) }];
  });
}

export function runningCount(tables: Tables, purgeId: number): number {
  const executions = tables.purgeJobs.withKey(purgeId).flatMap(({ key }) => tables.executions.withKey(key));
  return executions.filter((one) => one.status === 'RUNNING').length;
}

export function unreleased(tables: Tables, purgeId: number): Owner[] {
  const waiting = (table: Table<PurgeMemberRow>, kind: Owner['kind']) =>
    table.withKey(purgeId).flatMap(({ key, isWaiting }) => (isWaiting ? [{ kind, key }] : []));
  return [...waiting(tables.purgeTrees, 'recipe'), ...waiting(tables.purgeJobs, 'job')];
}
