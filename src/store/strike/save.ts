/**
 * Strikes of a group: patches of their rows, and the progress of their listings. And a strike's first rows (the strike,
 * its queued system job, the event), after which its actor takes over.
 */
import type { StrikePatch } from '../../domain/strike/strike.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { type AlsoSave, creating } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import { EventEntity } from '../event/table.ts';
import { shardOfId } from '../ids.ts';
import { systemJobColumns } from '../job/system-jobs.ts';
import { JobEntity } from '../job/table.ts';
import { inEntities } from '../sql/entities.ts';
import type { ChangeOf, Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { StrikeEntity } from './table.ts';

interface StrikeDraft {
  readonly strikeId: number;
  readonly patch: StrikePatch;
  readonly atMs: number;
}

const PATCHES = rowsOf(StrikeEntity).from<StrikeDraft>(
  {
    id: (row) => row.strikeId,
    title: ({ patch }) => patch.title,
    description: ({ patch }) => patch.description,
    configuration: ({ patch }) => patch.configuration,
    workspaceId: ({ patch }) => patch.workspaceId,
    isPaused: ({ patch }) => patch.isPaused,
    deferredCursor: ({ patch }) => patch.deferredCursor,
  },
  [
    ['has_cursor', 'bool', ({ patch }) => patch.deferredCursor !== undefined],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const PATCHED = ['title', 'description', 'configuration', 'workspace_id', 'is_paused'];

const PATCH_STRIKES = {
  name: 'patch_strikes',
  text: /* sql */ `
    update strike s set ${PATCHED.map((name) => `${name} = coalesce(d.${name}, s.${name})`).join(', ')},
      deferred_cursor = case when d.has_cursor then d.deferred_cursor else s.deferred_cursor end,
      last_modified = d.at
    from ${PATCHES.table('d')}
    where s.id = d.id   -- = strike_pkey`,
};

type Marked = ChangeOf<'markListing'>;

const MARKS = rowsOf(StrikeEntity).from<Marked>({
  id: (row) => row.strikeId,
  listing: (row) => row.mark,
});

const MARK_LISTINGS = {
  name: 'mark_listings',
  text: /* sql */ `
    update strike s set listing = d.listing
    from ${MARKS.table('d')}
    where s.id = d.id   -- = strike_pkey`,
};

/** The progress of bucket listings: the last change of each counts. */
export async function markListings(sql: Sql, group: Group): Promise<void> {
  const marks = new Map(group.placed('markListing').map(({ change }) => [change.strikeId, change]));
  if (marks.size > 0) await sql.execute(MARK_LISTINGS, MARKS.params([...marks.values()]));
}

export async function editStrikes(sql: Sql, group: Group): Promise<void> {
  const pendingRows = new Map<number, StrikeDraft>();
  for (const { change } of group.placed('editStrike')) {
    const before = pendingRows.get(change.strikeId);
    pendingRows.set(change.strikeId, { ...change, patch: { ...before?.patch, ...change.patch } });
  }
  if (pendingRows.size > 0) await sql.execute(PATCH_STRIKES, PATCHES.params([...pendingRows.values()]));
}

export interface NewStrike {
  readonly title: string;
  readonly description: string;
  /** Validated. */
  readonly configuration: StrikeConfiguration;
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
    title: strike.title,
    stem: 'strike',
    constraint: 'strike_name_key',
    insert: (name) => creating(sql, also, (inside) => insertStrike(inside, name, strike)),
  });
}

function insertStrike(sql: Sql, name: string, { nowMs, ...fields }: NewStrike): Promise<number> {
  return inEntities(sql, async (manager, tx) => {
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
    manager.create(StrikeEntity, { ...fields, ...made, id, shard, name, jobId });
    return id;
  });
}
