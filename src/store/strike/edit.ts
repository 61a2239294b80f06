/**
 * A strike's first rows: the strike, its queued system job and the event; its actor takes over from there. This is not
 * in `save.ts`, because commits of actors do not load MikroORM.
 */
import { LockMode } from '@mikro-orm/core';
import { mentionsOf } from '../../domain/ingest/ingest-rule.ts';
import type { Labels } from '../../domain/labels.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
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
import { StrikeEntity } from './table.ts';

export interface NewStrike {
  /** Absent: from the title. */
  readonly name?: string | undefined;
  readonly title: string;
  readonly description: string;
  /** Validated. */
  readonly configuration: StrikeConfiguration;
  readonly labels?: Labels;
  readonly workspaceId: number;
  readonly nowMs: number;
}

const IDS = /* sql */ `
  select nextval('strike_id_seq') as id, nextval('job_id_seq') as "jobId", nextval('event_id_seq') as "eventId"`;

interface Ids {
  readonly id: number;
  readonly jobId: number;
  readonly eventId: number;
}

/** Resolves with its id; the caller wakes `strike/<id>`. */
export function createStrike(sql: Sql, strike: NewStrike, also?: AlsoSave<number>): Promise<number> {
  return insertNamed({
    ...{ name: strike.name, title: strike.title },
    stem: 'strike',
    constraint: 'strike_name_key',
    insert: (name) => creating(sql, also, (inside) => insertStrike(inside, name, strike)),
    revive: (name) => reviving(sql, also, (inside) => reviveStrike(inside, name, strike)),
  });
}

function insertStrike(sql: Sql, name: string, strike: NewStrike): Promise<number> {
  return inEntities(sql, async (manager, tx) => {
    await holdNamed(tx, strike.configuration);
    const { nowMs, ...fields } = strike;
    const [ids] = await tx.execute<Ids>(IDS);
    const { id, jobId, eventId } = ids as Ids;
    const shard = shardOfId(id);
    const made = { created: nowMs, lastModified: nowMs };
    const event = { type: 'STRIKE_CREATED', occurred: nowMs, description: { strike_id: id } } as const;
    manager.create(EventEntity, { ...event, id: eventId });
    await manager.flush();
    manager.create(JobEntity, {
      ...{ ...made, id: jobId, shard, ownerKind: 'strike', ownerKey: id, eventId },
      ...(await systemJobColumns(manager, SYSTEM_JOB_TYPES.strike)),
      ...{ status: 'QUEUED', numExes: 1, queued: nowMs, lastStatusChange: nowMs },
      input: { files: {}, json: { STRIKE_ID: id } },
    });
    await manager.flush();
    manager.create(StrikeEntity, { ...fields, ...made, name, id, shard, jobId });
    return id;
  });
}

/** Keeps the workspaces and the recipe type of the configuration from being deleted until the transaction ends. */
function holdNamed(tx: Sql, configuration: StrikeConfiguration): Promise<void> {
  const { workspaces, recipeType } = mentionsOf(configuration);
  return holdMentioned(tx, {
    workspaceNames: workspaces,
    recipeTypeNames: recipeType === undefined ? [] : [recipeType],
  });
}

/** Brings a deleted strike back as if it were new; it keeps its job. Undefined: no deleted strike has the name. */
function reviveStrike(sql: Sql, name: string, strike: NewStrike): Promise<number | undefined> {
  return inEntities(sql, async (manager, tx) => {
    await holdNamed(tx, strike.configuration);
    const found = await manager.findOne(
      StrikeEntity,
      { name, deleted: { $ne: null } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (found === null) return undefined;
    const { title, description, configuration, labels = {}, workspaceId, nowMs } = strike;
    const given = { title, description, configuration, labels, workspaceId, lastModified: nowMs };
    const begun = { isPaused: false, deferredCursor: null, listing: null };
    manager.assign(found, { ...given, ...begun, deleted: null }, { mergeObjectProperties: false });
    return found.id;
  });
}
