/** Every table, for MikroORM. */
import { AccessTokenEntity } from './access-token.entity.ts';
import { AccountEntity } from './account.entity.ts';
import { AccountIdentityEntity } from './account-identity.entity.ts';
import { AuditEntity } from './audit.entity.ts';
import { BatchEntity } from './batch.entity.ts';
import { BatchCountEntity } from './batch-count.entity.ts';
import { BatchCountDeltaEntity } from './batch-count-delta.entity.ts';
import { ClientSpellingEntity } from './client-spelling.entity.ts';
import { CoordinatorEntity } from './coordinator.entity.ts';
import { CoordinatorWarningEntity } from './coordinator-warning.entity.ts';
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
import { HourTotalEntity } from './hour-total.entity.ts';
import { HourTotalDeltaEntity } from './hour-total-delta.entity.ts';
import { IdempotencyClaimEntity } from './idempotency-claim.entity.ts';
import { IdempotencyKeyEntity } from './idempotency-key.entity.ts';
import { IngestEntity } from './ingest.entity.ts';
import { JobEntity } from './job.entity.ts';
import { JobExeEntity } from './job-exe.entity.ts';
import { JobFailureEntity } from './job-failure.entity.ts';
import { JobInputFileEntity } from './job-input-file.entity.ts';
import { JobLogEntity } from './job-log.entity.ts';
import { JobOutcomeEntity } from './job-outcome.entity.ts';
import { JobOutcomeDeltaEntity } from './job-outcome-delta.entity.ts';
import { JobRequestEntity } from './job-request.entity.ts';
import { JobRequestBacklogEntity } from './job-request-backlog.entity.ts';
import { JobTypeEntity } from './job-type.entity.ts';
import { JobTypeFormerConfigurationEntity } from './job-type-former-configuration.entity.ts';
import { JobTypeRevEntity } from './job-type-rev.entity.ts';
import { ListCountEntity } from './list-count.entity.ts';
import { ListCountDeltaEntity } from './list-count-delta.entity.ts';
import { LoadHourEntity } from './load-hour.entity.ts';
import { LoadSampleEntity } from './load-sample.entity.ts';
import { LoginSessionEntity } from './login-session.entity.ts';
import { NodeEntity } from './node.entity.ts';
import { NodeWorkspaceEntity } from './node-workspace.entity.ts';
import { PurgeEntity } from './purge.entity.ts';
import { PurgeFileEntity } from './purge-file.entity.ts';
import { PurgeJobEntity } from './purge-job.entity.ts';
import { PurgeTreeEntity } from './purge-tree.entity.ts';
import { RecipeEntity } from './recipe.entity.ts';
import { RecipeConditionEntity } from './recipe-condition.entity.ts';
import { RecipeInputFileEntity } from './recipe-input-file.entity.ts';
import { RecipeNodeEntity } from './recipe-node.entity.ts';
import { RecipeTypeEntity } from './recipe-type.entity.ts';
import { RecipeTypeJobTypeEntity } from './recipe-type-job-type.entity.ts';
import { RecipeTypeRevEntity } from './recipe-type-rev.entity.ts';
import { RecipeTypeSubTypeEntity } from './recipe-type-sub-type.entity.ts';
import { RetentionCursorEntity } from './retention-cursor.entity.ts';
import { ScanEntity } from './scan.entity.ts';
import { SchedulerSettingsEntity } from './scheduler-settings.entity.ts';
import { SchedulingClassEntity } from './scheduling-class.entity.ts';
import { SecretKeyEntity } from './secret-key.entity.ts';
import { SecretKeyHolderEntity } from './secret-key-holder.entity.ts';
import { ShardLeaseEntity } from './shard-lease.entity.ts';
import { StrikeEntity } from './strike.entity.ts';
import { TombstoneEntity } from './tombstone.entity.ts';
import { TypeUpdateEntity } from './type-update.entity.ts';
import { TypeUpdateMemberEntity } from './type-update-member.entity.ts';
import { WorkspaceEntity } from './workspace.entity.ts';

export const ENTITIES = [
  AccessTokenEntity,
  AccountEntity,
  AccountIdentityEntity,
  AuditEntity,
  BatchEntity,
  BatchCountEntity,
  BatchCountDeltaEntity,
  ClientSpellingEntity,
  CoordinatorEntity,
  CoordinatorWarningEntity,
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
  HourTotalEntity,
  HourTotalDeltaEntity,
  IdempotencyClaimEntity,
  IdempotencyKeyEntity,
  IngestEntity,
  JobEntity,
  JobExeEntity,
  JobFailureEntity,
  JobInputFileEntity,
  JobLogEntity,
  JobOutcomeEntity,
  JobOutcomeDeltaEntity,
  JobRequestEntity,
  JobRequestBacklogEntity,
  JobTypeEntity,
  JobTypeFormerConfigurationEntity,
  JobTypeRevEntity,
  ListCountEntity,
  ListCountDeltaEntity,
  LoadHourEntity,
  LoadSampleEntity,
  LoginSessionEntity,
  NodeEntity,
  NodeWorkspaceEntity,
  PurgeEntity,
  PurgeFileEntity,
  PurgeJobEntity,
  PurgeTreeEntity,
  RecipeEntity,
  RecipeConditionEntity,
  RecipeInputFileEntity,
  RecipeNodeEntity,
  RecipeTypeEntity,
  RecipeTypeJobTypeEntity,
  RecipeTypeRevEntity,
  RecipeTypeSubTypeEntity,
  RetentionCursorEntity,
  ScanEntity,
  SchedulerSettingsEntity,
  SchedulingClassEntity,
  SecretKeyEntity,
  SecretKeyHolderEntity,
  ShardLeaseEntity,
  StrikeEntity,
  TombstoneEntity,
  TypeUpdateEntity,
  TypeUpdateMemberEntity,
  WorkspaceEntity,
] as const;
