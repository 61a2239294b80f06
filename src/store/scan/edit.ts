/** A scan's first rows: the scan, its two system jobs, which are PENDING until requested, and their events. */

import { LockMode } from '@mikro-orm/core';
import { mentionsOf } from '../../domain/ingest/ingest-rule.ts';
import type { Labels } from '../../domain/labels.ts';
import type { ScanConfiguration } from '../../domain/scan/scan-config.ts';
import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { type AlsoSave, creating, reviving } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import { holdMentioned } from '../deletion/kinds.ts';
import { EventEntity } from '../event/table.ts';
import { shardOfId } from '../ids.ts';
import { systemJobColumns } from '../job/system-jobs.ts';
import { JobEntity } from '../job/table.ts';
import { inEntities } from '../sql/entities.ts';
import type { Sql } from '../sql/sql.ts';
import { ScanEntity } from './table.ts';

export interface NewScan {
  /** Absent: from the title. */
  readonly name?: string | undefined;
  readonly title: string;
  readonly description: string;
  /** Validated. */
  readonly configuration: ScanConfiguration;
  readonly labels?: Labels;
  readonly workspaceId: number;
  readonly nowMs: number;
}

const IDS = /* sql */ `
  select nextval('scan_id_seq') as id, nextval('job_id_seq') as "jobId", nextval('job_id_seq') as "dryRunJobId",
    nextval('event_id_seq') as "eventId", nextval('event_id_seq') as "dryRunEventId"`;

interface Ids {
  readonly id: number;
  readonly jobId: number;
  readonly dryRunJobId: number;
  readonly eventId: number;
  readonly dryRunEventId: number;
}

/** Resolves with its id. Nothing runs yet, so no actor has to be woken. */
export function createScan(sql: Sql, scan: NewScan, also?: AlsoSave<number>): Promise<number> {
  return insertNamed({
    ...{ name: scan.name, title: scan.title },
    stem: 'scan',
    constraint: 'scan_name_key',
    insert: (name) => creating(sql, also, (inside) => insertScan(inside, name, scan)),
    revive: (name) => reviving(sql, also, (inside) => reviveScan(inside, name, scan)),
  });
}

function insertScan(sql: Sql, name: string, scan: NewScan): Promise<number> {
  return inEntities(sql, async (manager, tx) => {
    await holdNamed(tx, scan.configuration);
    const { nowMs, ...fields } = scan;
    const [ids] = await tx.execute<Ids>(IDS);
    const { id, jobId, dryRunJobId, eventId, dryRunEventId } = ids as Ids;
    const shard = shardOfId(id);
    const made = { created: nowMs, lastModified: nowMs };
    const event = { occurred: nowMs, description: { scan_id: id } };
    manager.create(EventEntity, { ...event, id: eventId, type: 'SCAN_CREATED' });
    manager.create(EventEntity, { ...event, id: dryRunEventId, type: 'DRY_RUN_SCAN_CREATED' });
    await manager.flush();
    const job = {
      ...{ ...made, shard, ownerKey: id, lastStatusChange: nowMs },
      ...{ ownerKind: 'scan' as const, status: 'PENDING' as const },
      ...(await systemJobColumns(manager, SYSTEM_JOB_TYPES.scan)),
    };
    const input = (isDryRun: boolean) => ({ files: {}, json: { SCAN_ID: id, DRY_RUN: isDryRun } });
    manager.create(JobEntity, { ...job, id: jobId, eventId, input: input(false) });
    manager.create(JobEntity, { ...job, id: dryRunJobId, eventId: dryRunEventId, input: input(true) });
    await manager.flush();
    manager.create(ScanEntity, { ...fields, ...made, name, id, shard, jobId, dryRunJobId });
    return id;
  });
}

/** Keeps the workspaces and the recipe type of the configuration from being deleted until the transaction ends. */
function holdNamed(tx: Sql, configuration: ScanConfiguration): Promise<void> {
  const { workspaces, recipeType } = mentionsOf(configuration);
  return holdMentioned(tx, {
    workspaceNames: workspaces,
    recipeTypeNames: recipeType === undefined ? [] : [recipeType],
  });
}

/** Brings a deleted scan back as if it were new; it keeps its jobs. Undefined: no deleted scan has the name. */
function reviveScan(sql: Sql, name: string, scan: NewScan): Promise<number | undefined> {
  return inEntities(sql, async (manager, tx) => {
    await holdNamed(tx, scan.configuration);
    const found = await manager.findOne(
      ScanEntity,
      { name, deleted: { $ne: null } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (found === null) return undefined;
    const { title, description, configuration, labels = {}, workspaceId, nowMs } = scan;
    const given = { title, description, configuration, labels, workspaceId, lastModified: nowMs };
    const begun = { run: null, cursor: '', counts: null, previousCounts: null };
    const atRest = { cancelThrough: null, reason: null, waiting: [] };
    manager.assign(found, { ...given, ...begun, ...atRest, deleted: null }, { mergeObjectProperties: false });
    return found.id;
  });
}
