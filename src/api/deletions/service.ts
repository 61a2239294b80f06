/** Deletes records that are not needed any more, and notifies the actors concerned. */
import { nodeAddress } from '../../actors/node/node.messages.ts';
import { ownerAddress } from '../../actors/owner.messages.ts';
import { scanAddress } from '../../actors/scan/scan.messages.ts';
import { SCHEDULER } from '../../actors/scheduler/scheduler.messages.ts';
import { strikeAddress } from '../../actors/strike/strike.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/validation.ts';
import type { Asker } from '../../http/route.ts';
import type { Target } from '../../store/deletion/kinds.ts';
import type { Needs } from '../../store/deletion/needs.ts';
import { deleteRecord, previewDeletion } from '../../store/deletion/save.ts';
import { onlineNodeIds } from '../../store/node/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';

export type DeletionParts = Parts<'sql' | 'system'>;

const WORDS: Readonly<Record<Target['kind'], string>> = {
  workspace: 'workspace',
  strike: 'strike',
  scan: 'scan',
  dataset: 'dataset',
  batch: 'batch',
  job_type: 'job type',
  recipe_type: 'recipe type',
};

/** What the deletion would do. Throws NOT_FOUND, or STATE_CONFLICT for a system type. */
export async function preview({ sql }: DeletionParts, kind: Target['kind'], found: Target | undefined) {
  const target = deletable(kind, found);
  const deletion = await previewDeletion(sql, target);
  const { listed, moreCount, isCut } =
    deletion.outcome === 'refused' ? deletion.needs : { listed: [], moreCount: 0, isCut: false };
  return { outcome: deletion.outcome, needed_by: [...listed], more_count: moreCount, is_cut: isCut };
}

/**
 * Deletes the record. Throws NOT_FOUND, STATE_CONFLICT if something live needs it (with what does) or it is a system
 * type, STORE_UNAVAILABLE.
 */
export async function remove(
  parts: DeletionParts,
  kind: Target['kind'],
  found: Target | undefined,
  { nowMs, recorded }: Pick<Asker, 'nowMs' | 'recorded'>,
): Promise<void> {
  const target = deletable(kind, found);
  await recorded;
  const deletion = await deleteRecord(parts.sql, target, nowMs, () => cancelOwnJobs(parts, target));
  if (deletion.outcome === 'refused') throw needed(target, deletion.needs);
  await announce(parts, target);
}

function deletable(kind: Target['kind'], found: Target | undefined): Target {
  const target = existing(found, WORDS[kind]);
  if (target.isSystem) throw new AppError('STATE_CONFLICT', `'${target.name}' is a system ${WORDS[kind]}`);
  return target;
}

function needed({ kind, id, name }: Target, { listed, moreCount, isCut }: Needs): AppError {
  const what = name === '' ? `${WORDS[kind]} ${id}` : `${WORDS[kind]} '${name}'`;
  const errors: Problem[] = listed.map(({ reason }) => ({ name: 'NEEDED', description: reason, path: '' }));
  if (moreCount > 0) {
    const description = `${isCut ? 'at least ' : ''}${moreCount} more need it`;
    errors.push({ name: 'MORE_NEEDED', description, path: '' });
  }
  const reasons = `${listed[0]?.reason}${listed.length + moreCount > 1 ? ', and others' : ''}`;
  return new AppError('STATE_CONFLICT', `the ${what} is needed: ${reasons}`, { errors });
}

/**
 * The jobs of a paused strike or an idle scan would never end. Only their owner may cancel them, so it is sent a
 * request.
 */
async function cancelOwnJobs({ system }: DeletionParts, { kind, id, liveJobIds }: Target): Promise<void> {
  if (liveJobIds.length === 0 || (kind !== 'strike' && kind !== 'scan')) return;
  const message = { type: 'cancelJobs', jobIds: liveJobIds } as const;
  await system.ask(ownerAddress({ kind, key: id }), message, { deadlineMs: ASK_DEADLINE_MS });
}

/**
 * poll: agents are asked about all active workspaces every half minute, strikes and scans read them every minute, the
 * scheduler reads types with each resynchronization. The store refuses what a deleted strike or scan saves from now on.
 */
async function announce({ sql, system }: DeletionParts, { kind, id }: Target): Promise<void> {
  switch (kind) {
    case 'workspace':
      for (const nodeId of await onlineNodeIds(sql))
        system.tell(nodeAddress(nodeId), { type: 'workspacesChanged' });
      return;
    case 'strike':
      system.tell(strikeAddress(id), { type: 'reload' });
      return;
    case 'scan':
      system.tell(scanAddress(id), { type: 'reload' });
      return;
    case 'job_type':
      system.tell(SCHEDULER, { type: 'typesChanged' });
      return;
    default:
  }
}
