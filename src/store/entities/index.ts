/** Every table, for MikroORM. */
import { CoordinatorEntity } from './coordinator.entity.ts';
import { DailyStartEntity } from './daily-start.entity.ts';
import { DailyStartDeltaEntity } from './daily-start-delta.entity.ts';
import { DatasetEntity } from './dataset.entity.ts';
import { DatasetFileEntity } from './dataset-file.entity.ts';
import { DatasetMemberEntity } from './dataset-member.entity.ts';
import { DiagnosticRunEntity } from './diagnostic-run.entity.ts';
import { ErrorEntity } from './error.entity.ts';
import { EventEntity } from './event.entity.ts';
import { FileEntity } from './file.entity.ts';
import { FileAncestryEntity } from './file-ancestry.entity.ts';
import { IngestEntity } from './ingest.entity.ts';
import { JobEntity } from './job.entity.ts';
import { JobExeEntity } from './job-exe.entity.ts';
import { JobInputFileEntity } from './job-input-file.entity.ts';
import { JobLogEntity } from './job-log.entity.ts';
import { JobRequestEntity } from './job-request.entity.ts';
import { JobTypeEntity } from './job-type.entity.ts';
import { JobTypeRevEntity } from './job-type-rev.entity.ts';
import { LoadHourEntity } from './load-hour.entity.ts';
import { LoadSampleEntity } from './load-sample.entity.ts';
import { NodeEntity } from './node.entity.ts';
import { NodeWorkspaceEntity } from './node-workspace.entity.ts';
import { RecipeEntity } from './recipe.entity.ts';
import { RecipeConditionEntity } from './recipe-condition.entity.ts';
import { RecipeInputFileEntity } from './recipe-input-file.entity.ts';
import { RecipeNodeEntity } from './recipe-node.entity.ts';
import { RecipeTypeEntity } from './recipe-type.entity.ts';
import { RecipeTypeJobTypeEntity } from './recipe-type-job-type.entity.ts';
import { RecipeTypeRevEntity } from './recipe-type-rev.entity.ts';
import { RecipeTypeSubTypeEntity } from './recipe-type-sub-type.entity.ts';
import { SchedulerSettingsEntity } from './scheduler-settings.entity.ts';
import { SchedulingClassEntity } from './scheduling-class.entity.ts';
import { ShardLeaseEntity } from './shard-lease.entity.ts';
import { StrikeEntity } from './strike.entity.ts';
import { WorkspaceEntity } from './workspace.entity.ts';

export const ENTITIES = [
  CoordinatorEntity,
  DailyStartEntity,
  DailyStartDeltaEntity,
  DiagnosticRunEntity,
  DatasetEntity,
  DatasetFileEntity,
  DatasetMemberEntity,
  ErrorEntity,
  EventEntity,
  FileEntity,
  FileAncestryEntity,
  IngestEntity,
  JobEntity,
  JobExeEntity,
  JobInputFileEntity,
  JobLogEntity,
  JobRequestEntity,
  JobTypeEntity,
  JobTypeRevEntity,
  LoadHourEntity,
  LoadSampleEntity,
  NodeEntity,
  NodeWorkspaceEntity,
  RecipeEntity,
  RecipeConditionEntity,
  RecipeInputFileEntity,
  RecipeNodeEntity,
  RecipeTypeEntity,
  RecipeTypeJobTypeEntity,
  RecipeTypeRevEntity,
  RecipeTypeSubTypeEntity,
  SchedulerSettingsEntity,
  SchedulingClassEntity,
  ShardLeaseEntity,
  StrikeEntity,
  WorkspaceEntity,
] as const;
