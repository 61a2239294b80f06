/** Rows of the simulated database and of the real one, side by side, as far as both have them. */
import { inOrder, type Twins } from './twins.ts';

const COUNTERS = [
  ...(['recipes_total', 'recipes_completed', 'jobs_total', 'jobs_pending', 'jobs_blocked'] as const),
  ...(['jobs_queued', 'jobs_running', 'jobs_failed', 'jobs_completed', 'jobs_canceled'] as const),
];

/** What of each table, the real one's, the simulated one's. */
export async function rowsOfBoth({ real, memory: { tables } }: Twins) {
  const both: (readonly [string, unknown, unknown])[] = [];
  const compare = async (what: string, text: string, found: readonly unknown[]): Promise<void> => {
    both.push([what, inOrder(await real.rows(text)), inOrder(found)]);
  };
  await compare(
    'jobs',
    `select id, status, num_exes as "exeNum", is_superseded as "isSuperseded", recipe_ids as "recipeIds",
      batch_ids as "batchIds", live_recipe_id as "liveRecipeId", live_batch_id as "liveBatchId" from job`,
    [...tables.jobs.rows.values()].map(
      ({ id, status, exeNum, isSuperseded, recipeIds, batchIds, ...job }) => {
        const { liveRecipeId, liveBatchId } = job;
        return { id, status, exeNum, isSuperseded, recipeIds, batchIds, liveRecipeId, liveBatchId };
      },
    ),
  );
  await compare(
    'executions',
    `select id, job_id as "jobId", exe_num as "exeNum", status from job_exe`,
    [...tables.executions.rows.values()].map(({ id, jobId, exeNum, status }) => ({
      id,
      jobId,
      exeNum,
      status,
    })),
  );
  await compare(
    'files',
    `select id, is_published as "isPublished", is_superseded as "isSuperseded", is_deleted as "isDeleted" from file`,
    [...tables.files.rows.values()].map(({ id, isPublished, isSuperseded, isDeleted }) => {
      return { id, isPublished, isSuperseded, isDeleted };
    }),
  );
  await compare(
    'ancestry',
    `select distinct ancestor_id as "ancestorId", descendant_id as "descendantId" from file_ancestry`,
    [...tables.ancestry.rows.values()].map(({ ancestorId, descendantId }) => ({ ancestorId, descendantId })),
  );
  await compare(
    'recipes',
    `select id, is_completed as "isCompleted", is_superseded as "isSuperseded", batch_id as "batchId" from recipe`,
    [...tables.recipes.rows.values()].map(({ id, isCompleted, isSuperseded, batchId }) => {
      return { id, isCompleted, isSuperseded, batchId };
    }),
  );
  await compare(
    'nodes of recipes',
    `select recipe_id as "recipeId", name, job_id as "jobId", sub_recipe_id as "subRecipeId" from recipe_node`,
    [...tables.recipeNodes.rows.values()].map(({ recipeId, name, jobId, subRecipeId }) => {
      return { recipeId, name, jobId, subRecipeId };
    }),
  );
  await compare(
    'conditions',
    `select id, recipe_id as "recipeId", is_processed as "isProcessed" from recipe_condition`,
    [...tables.conditions.rows.values()].map(({ id, recipeId, isProcessed }) => ({
      id,
      recipeId,
      isProcessed,
    })),
  );
  await compare(
    'ingests',
    `select id, status, source_file_id as "sourceFileId", job_id as "jobId" from ingest`,
    [...tables.ingests.rows.values()].map(({ id, status, sourceFileId, jobId }) => {
      return { id, status, sourceFileId, jobId };
    }),
  );
  await compare(
    'batches',
    `select id, cursor, skipped_count as "skippedCount", is_creation_done as "isCreationDone",
      is_superseded as "isSuperseded" from batch`,
    [...tables.batches.rows.values()].map(({ id, cursor, skippedCount, isCreationDone, isSuperseded }) => {
      return { id, cursor, skippedCount, isCreationDone, isSuperseded };
    }),
  );
  await compare(
    'counters of batches',
    `select batch_id as "batchId", node, ${COUNTERS.map((name) => `sum(${name})::int as ${name}`).join(', ')}
      from (select batch_id, node, ${COUNTERS.join(', ')} from batch_count
        union all select batch_id, node, ${COUNTERS.join(', ')} from batch_count_delta) as counts group by 1, 2`,
    [...tables.batchCounts.rows.values()].map(({ batchId, node, sums }) => {
      return { batchId, node, ...Object.fromEntries(COUNTERS.map((name) => [name, sums[name] ?? 0])) };
    }),
  );
  await compare(
    'tombstones',
    `select workspace_id as "workspaceId", file_path as "filePath", arrival, file_size as size, sha256 from tombstone`,
    [...tables.tombstones.rows.values()].map(({ workspaceId, filePath, arrival, size, sha256 }) => {
      return { workspaceId, filePath, arrival, size, sha256 };
    }),
  );
  return both;
}
