/** The effects of reprocessing on jobs and files of a group: jobs that newer recipes share, and superseded rows. */
import type { SharedJob } from '../../domain/recipe/recipe.ts';
import { JobEntity } from '../job/table.ts';
import type { Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';

const SHARED = rowsOf(JobEntity).from<SharedJob>(
  {
    id: (row) => row.jobId,
    liveRecipeId: (row) => row.liveRecipeId,
    liveBatchId: (row) => row.liveBatchId,
    recipeIds: (row) => row.recipeIds,
    batchIds: (row) => row.batchIds,
  },
  [['at', 'ms', (row) => row.atMs]],
);

const SHARE_JOBS = {
  name: 'share_jobs',
  text: /* sql */ `
    update job j set recipe_ids = j.recipe_ids || d.recipe_ids, batch_ids = j.batch_ids || d.batch_ids,
      live_recipe_id = d.live_recipe_id, live_batch_id = d.live_batch_id,
      last_modified = greatest(j.last_modified, d.at)
    from ${SHARED.table('d')}
    where j.id = d.id   -- = job_pkey`,
};

interface JobAt {
  readonly jobId: number;
  readonly atMs: number;
}

const JOBS = rowsOf(JobEntity).from<JobAt>(
  {
    id: (row) => row.jobId,
  },
  [['at', 'ms', (row) => row.atMs]],
);

const SUPERSEDE_JOBS = {
  name: 'supersede_jobs',
  text: /* sql */ `
    update job j set is_superseded = true, superseded = d.at, last_modified = greatest(j.last_modified, d.at)
    from ${JOBS.table('d')}
    where j.id = d.id and not j.is_superseded   -- = job_pkey`,
};

const UNPUBLISH = {
  name: 'unpublish_products',
  text: /* sql */ `
    update file f set is_published = false, last_modified = greatest(f.last_modified, d.at)
    from ${JOBS.table('d')}
    where f.job_id = d.id and f.is_published   -- = file_job_idx`,
};

/** The jobs are locked by now. A job that is carried over twice in a group is shared with both recipes. */
export async function writeSharing(sql: Sql, group: Group): Promise<void> {
  const byJob = new Map<number, SharedJob>();
  for (const one of group.items('shareJobs', (change) => change.jobs)) {
    const before = byJob.get(one.jobId);
    const recipeIds = [...(before?.recipeIds ?? []), ...one.recipeIds];
    const batchIds = [...(before?.batchIds ?? []), ...one.batchIds];
    byJob.set(one.jobId, { ...one, recipeIds, batchIds });
  }
  if (byJob.size > 0) await sql.execute(SHARE_JOBS, SHARED.params([...byJob.values()]));
  const superseded = onceEach(group.items('supersedeJobs', (change) => change.jobs));
  if (superseded.length > 0) await sql.execute(SUPERSEDE_JOBS, JOBS.params(superseded));
}

export async function unpublishProducts(sql: Sql, group: Group): Promise<void> {
  const jobs = onceEach(group.items('unpublishProducts', (change) => change.jobs));
  if (jobs.length > 0) await sql.execute(UNPUBLISH, JOBS.params(jobs));
}

function onceEach(jobs: readonly JobAt[]): JobAt[] {
  return [...new Map(jobs.map((job) => [job.jobId, job])).values()];
}
