/** Every table, for MikroORM. */
import {
  AccessTokenEntity,
  AccountEntity,
  AccountIdentityEntity,
  LoginCodeEntity,
  LoginSessionEntity,
} from './account/table.ts';
import { AuditEntity } from './audit/table.ts';
import { BatchCountDeltaEntity, BatchCountEntity, BatchEntity } from './batch/table.ts';
import { ChangeStreamEntity, ChangeTickEntity, ObjectChangeEntity } from './change/table.ts';
import { ClientSpellingEntity } from './client-spelling/table.ts';
import { CoordinatorEntity, CoordinatorWarningEntity } from './coordinator/table.ts';
import { DatasetEntity, DatasetFileEntity, DatasetMemberEntity } from './dataset/table.ts';
import { DeletionUnderWayEntity } from './deletion/table.ts';
import { DiagnosticRunEntity } from './diagnostic/table.ts';
import { ErrorEntity } from './error/table.ts';
import { EventEntity } from './event/table.ts';
import { FailureNoteEntity } from './failure/table.ts';
import { FileAncestryEntity, FileEntity, ReservedPathEntity } from './file/table.ts';
import { IdempotencyClaimEntity, IdempotencyKeyEntity } from './idempotency/table.ts';
import { IngestEntity } from './ingest/table.ts';
import { JobEntity, JobExeEntity, JobFailureEntity, JobInputFileEntity } from './job/table.ts';
import { JobRequestBacklogEntity, JobRequestEntity } from './job-request/table.ts';
import { JobTypeEntity, JobTypeFormerConfigurationEntity, JobTypeRevEntity } from './job-type/table.ts';
import { ShardLeaseEntity } from './lease/table.ts';
import { JobLogEntity } from './log/table.ts';
import {
  ActivityMinuteEntity,
  DailyStartDeltaEntity,
  DailyStartEntity,
  HourTotalDeltaEntity,
  HourTotalEntity,
  JobOutcomeDeltaEntity,
  JobOutcomeEntity,
  ListCountDeltaEntity,
  ListCountEntity,
  ListDayCountEntity,
  LoadHourEntity,
  LoadMinuteEntity,
  LoadSampleEntity,
} from './metrics/table.ts';
import { NodeEntity, NodeWorkspaceEntity } from './node/table.ts';
import {
  PurgedProductEntity,
  PurgeEntity,
  PurgeFileEntity,
  PurgeJobEntity,
  PurgeTreeEntity,
  TombstoneEntity,
} from './purge/table.ts';
import {
  RecipeConditionEntity,
  RecipeEntity,
  RecipeInputFileEntity,
  RecipeNodeEntity,
} from './recipe/table.ts';
import {
  RecipeTypeEntity,
  RecipeTypeJobTypeEntity,
  RecipeTypeRevEntity,
  RecipeTypeSubTypeEntity,
} from './recipe-type/table.ts';
import { RetentionCursorEntity } from './retention/table.ts';
import { SavedFilterEntity } from './saved-filter/table.ts';
import { ScanEntity } from './scan/table.ts';
import { SchedulerSettingsEntity, SchedulingClassEntity } from './scheduler/table.ts';
import { SecretKeyEntity, SecretKeyHolderEntity } from './secret-key/table.ts';
import { StrikeEntity } from './strike/table.ts';
import { TypeUpdateEntity, TypeUpdateMemberEntity } from './type-update/table.ts';
import { WorkspaceEntity } from './workspace/table.ts';

export const ENTITIES = [
  AccountEntity,
  AccountIdentityEntity,
  AccessTokenEntity,
  LoginSessionEntity,
  LoginCodeEntity,
  AuditEntity,
  BatchEntity,
  BatchCountEntity,
  BatchCountDeltaEntity,
  ObjectChangeEntity,
  ChangeStreamEntity,
  ChangeTickEntity,
  ClientSpellingEntity,
  CoordinatorEntity,
  CoordinatorWarningEntity,
  DatasetEntity,
  DatasetMemberEntity,
  DatasetFileEntity,
  DeletionUnderWayEntity,
  DiagnosticRunEntity,
  ErrorEntity,
  EventEntity,
  FailureNoteEntity,
  FileEntity,
  FileAncestryEntity,
  ReservedPathEntity,
  IdempotencyKeyEntity,
  IdempotencyClaimEntity,
  IngestEntity,
  JobEntity,
  JobExeEntity,
  JobInputFileEntity,
  JobFailureEntity,
  JobRequestEntity,
  JobRequestBacklogEntity,
  JobTypeEntity,
  JobTypeRevEntity,
  JobTypeFormerConfigurationEntity,
  ShardLeaseEntity,
  JobLogEntity,
  ListCountEntity,
  ListCountDeltaEntity,
  ListDayCountEntity,
  HourTotalEntity,
  HourTotalDeltaEntity,
  DailyStartEntity,
  DailyStartDeltaEntity,
  JobOutcomeEntity,
  JobOutcomeDeltaEntity,
  LoadSampleEntity,
  LoadHourEntity,
  LoadMinuteEntity,
  ActivityMinuteEntity,
  NodeEntity,
  NodeWorkspaceEntity,
  PurgeEntity,
  PurgeFileEntity,
  PurgeJobEntity,
  PurgeTreeEntity,
  PurgedProductEntity,
  TombstoneEntity,
  RecipeEntity,
  RecipeNodeEntity,
  RecipeConditionEntity,
  RecipeInputFileEntity,
  RecipeTypeEntity,
  RecipeTypeRevEntity,
  RecipeTypeJobTypeEntity,
  RecipeTypeSubTypeEntity,
  RetentionCursorEntity,
  SavedFilterEntity,
  ScanEntity,
  SchedulerSettingsEntity,
  SchedulingClassEntity,
  SecretKeyEntity,
  SecretKeyHolderEntity,
  StrikeEntity,
  TypeUpdateEntity,
  TypeUpdateMemberEntity,
  WorkspaceEntity,
] as const;
