/** What owners of batches read of the simulated database. */
import type { BatchMember, BatchPage, BatchRun } from '../../../../src/domain/batch/batch.ts';
import { forcedOf } from '../../../../src/domain/batch/batch-documents.ts';
import { memberInput } from '../../../../src/domain/batch/batch-input.ts';
import { type Data, EMPTY_DATA, validateDataFor } from '../../../../src/domain/data/data.ts';
import { NOTHING_FORCED } from '../../../../src/domain/recipe/forced-nodes.ts';
import { inputOf } from '../../../../src/domain/recipe/recipe-graph.ts';
import type { RecipeRow, Tables } from '../tables.ts';
import { fileInfoOf } from './loads.ts';
import { type Revisions, workspaceIds } from './tree-loads.ts';

export function loadBatches(
  tables: Tables,
  revisions: Revisions,
  ids: readonly number[],
): Map<number, BatchRun> {
  const loaded = new Map<number, BatchRun>();
  for (const id of ids) {
    const row = tables.batches.get(id);
    const revision = revisions.recipes.get(row?.recipeTypeRevId ?? 0);
    if (row === undefined || revision === undefined) continue;
    const { dataset: datasetId = 0, supersedes = true } = row.definition;
    loaded.set(id, {
      ...{ id, eventId: row.eventId, revision, configuration: row.configuration, cursor: row.cursor },
      source:
        row.supersededBatchId === null
          ? { kind: 'dataset', datasetId, supersedes }
          : { kind: 'batch', batchId: row.supersededBatchId },
      forced: forcedOf(row.definition) ?? NOTHING_FORCED,
      isDone: row.isCreationDone,
    });
  }
  return loaded;
}

export function dueBatches(tables: Tables, shards: readonly number[]): number[] {
  return tables.batches
    .where((one) => shards.includes(one.shard) && !one.isCreationDone)
    .map((one) => one.id);
}

/** `size`: members of a page. */
export function batchPage(tables: Tables, run: BatchRun, size: number): BatchPage {
  const { source } = run;
  return source.kind === 'batch'
    ? pageOfBatch(tables, run, source.batchId, size)
    : pageOfDataset(tables, run, source, size);
}

const byId = (a: { readonly id: number }, b: { readonly id: number }): number => a.id - b.id;

function pageOfBatch(tables: Tables, run: BatchRun, batchId: number, size: number): BatchPage {
  const isNext = (one: RecipeRow) => one.batchId === batchId && one.parentId === null && one.id > run.cursor;
  const rows = tables.recipes.where(isNext).sort(byId).slice(0, size);
  const members = rows.map(({ id, chainId, rootId }): BatchMember => {
    return { id, input: null, old: { recipeId: id, chainId: chainId ?? rootId } };
  });
  const to = rows.at(-1)?.id ?? run.cursor;
  const workspaces = { byName: new Map<string, number>(), byUuid: new Map<string, number>() };
  return { members, unfitCount: 0, files: [], workspaces, to, isLast: rows.length < size };
}

function pageOfDataset(
  tables: Tables,
  run: BatchRun,
  { datasetId, supersedes }: Extract<BatchRun['source'], { kind: 'dataset' }>,
  size: number,
): BatchPage {
  const rows = tables.members
    .withKey(datasetId)
    .filter((one) => one.id > run.cursor)
    .sort(byId)
    .slice(0, size);
  const isDone = (memberId: number) =>
    tables.recipes.where((one) => one.batchId === run.id && one.batchMemberId === memberId).length > 0;
  const wanted = rows.filter((one) => !isDone(one.id));
  const takes = inputOf(run.revision);
  const fitting = wanted.flatMap(({ id, data }) => {
    const given = memberInput(data, EMPTY_DATA, takes, run.configuration.inputMap ?? []);
    const checked = validateDataFor(given, takes);
    return checked.ok ? [{ id, input: checked.value }] : [];
  });
  const taken = new Set<number>();
  const members = fitting.map((one): BatchMember => {
    const before = supersedes ? sameBefore(tables, run, one.input) : undefined;
    if (before === undefined || taken.has(before.id)) return { ...one, old: null };
    taken.add(before.id);
    return { ...one, old: { recipeId: before.id, chainId: before.chainId ?? before.rootId } };
  });
  const fileIds = new Set(fitting.flatMap(({ input }) => Object.values(input.files).flat()));
  return {
    members,
    unfitCount: wanted.length - fitting.length,
    files: [...fileIds].flatMap((id) => {
      const file = tables.files.get(id);
      return file === undefined ? [] : [fileInfoOf(file)];
    }),
    workspaces: workspaceIds(tables),
    to: rows.at(-1)?.id ?? run.cursor,
    isLast: rows.length < size,
  };
}

/** The newest current recipe of the type that had the same input. */
function sameBefore(tables: Tables, run: BatchRun, input: Data): RecipeRow | undefined {
  const text = JSON.stringify(input);
  const isSame = (one: RecipeRow) =>
    one.recipeTypeId === run.revision.recipeTypeId &&
    one.parentId === null &&
    !one.isSuperseded &&
    one.batchId !== run.id &&
    JSON.stringify(one.input?.input) === text;
  return tables.recipes.where(isSame).sort(byId).at(-1);
}
