/** The columns that the jobs of strikes and scans take from their system job type. */
import type { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { JobTypeEntity, JobTypeRevEntity } from '../job-type/table.ts';
import type { SqlEntityManager } from '../sql/entities.ts';

type SystemJobType = (typeof SYSTEM_JOB_TYPES)[keyof typeof SYSTEM_JOB_TYPES];

/** Columns of a new job of the type. */
export async function systemJobColumns(manager: SqlEntityManager, { name, priority }: SystemJobType) {
  const type = await manager.findOneOrFail(JobTypeEntity, { name, isSystem: true });
  const { id: jobTypeId, revisionNum, maxTries } = type;
  const revision = await manager.findOneOrFail(JobTypeRevEntity, { jobTypeId, revisionNum });
  return { jobTypeId, jobTypeRevId: revision.id, maxTries, priority };
}
