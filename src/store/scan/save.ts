/** Scans of a group: patches of their rows. */
import type { ScanPatch } from '../../domain/scan/scan.ts';
import type { Group } from '../sql/group.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

interface ScanDraft {
  readonly scanId: number;
  readonly patch: ScanPatch;
  readonly atMs: number;
}

/** These may be set to null, so what is absent is told apart. */
const NULLABLE = ['run', 'cancel_through', 'reason'] as const;
const PLAIN = ['title', 'description', 'configuration', 'workspace_id', 'cursor', 'counts', 'waiting'];

const PATCHES = new RowSet<ScanDraft>([
  ['id', 'id', (row) => row.scanId],
  ['title', 'text', ({ patch }) => patch.title],
  ['description', 'text', ({ patch }) => patch.description],
  ['configuration', 'json', ({ patch }) => patch.configuration],
  ['workspace_id', 'id', ({ patch }) => patch.workspaceId],
  ['cursor', 'text', ({ patch }) => patch.cursor],
  ['counts', 'json', ({ patch }) => patch.counts],
  ['waiting', 'json', ({ patch }) => patch.waiting],
  ['has_run', 'bool', ({ patch }) => patch.run !== undefined],
  ['run', 'text', ({ patch }) => patch.run],
  ['has_cancel_through', 'bool', ({ patch }) => patch.cancelThrough !== undefined],
  ['cancel_through', 'id', ({ patch }) => patch.cancelThrough],
  ['has_reason', 'bool', ({ patch }) => patch.reason !== undefined],
  ['reason', 'text', ({ patch }) => patch.reason],
  ['at', 'ms', (row) => row.atMs],
]);

const PATCH_SCANS = {
  name: 'patch_scans',
  text: /* sql */ `
    update scan s set ${PLAIN.map((name) => `${name} = coalesce(d.${name}, s.${name})`).join(', ')},
      ${NULLABLE.map((name) => `${name} = case when d.has_${name} then d.${name} else s.${name} end`).join(', ')},
      last_modified = d.at
    from ${PATCHES.table('d')}
    where s.id = d.id   -- = scan_pkey`,
};

export async function editScans(sql: Sql, group: Group): Promise<void> {
  const drafts = new Map<number, ScanDraft>();
  for (const { change } of group.placed('editScan')) {
    const before = drafts.get(change.scanId);
    drafts.set(change.scanId, { ...change, patch: { ...before?.patch, ...change.patch } });
  }
  if (drafts.size > 0) await sql.execute(PATCH_SCANS, PATCHES.params([...drafts.values()]));
}
