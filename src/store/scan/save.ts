/** Scans of a group: patches of their rows. */
import { type ChangeOf, type Group, mergedPatches } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { ScanEntity } from './table.ts';

/** These may be set to null, so null and absent are distinguished. */
const NULLABLE = ['run', 'cancel_through', 'reason'] as const;
const PLAIN = [
  'title',
  'description',
  'configuration',
  'workspace_id',
  'cursor',
  'counts',
  'previous_counts',
  'waiting',
  'labels',
];

const PATCHES = rowsOf(ScanEntity).from<ChangeOf<'editScan'>>(
  {
    id: (row) => row.scanId,
    title: ({ patch }) => patch.title,
    description: ({ patch }) => patch.description,
    configuration: ({ patch }) => patch.configuration,
    workspaceId: ({ patch }) => patch.workspaceId,
    labels: ({ patch }) => patch.labels,
    cursor: ({ patch }) => patch.cursor,
    counts: ({ patch }) => patch.counts,
    previousCounts: ({ patch }) => patch.previousCounts,
    waiting: ({ patch }) => patch.waiting,
    run: ({ patch }) => patch.run,
    cancelThrough: ({ patch }) => patch.cancelThrough,
    reason: ({ patch }) => patch.reason,
  },
  [
    ['has_run', 'bool', ({ patch }) => patch.run !== undefined],
    ['has_cancel_through', 'bool', ({ patch }) => patch.cancelThrough !== undefined],
    ['has_reason', 'bool', ({ patch }) => patch.reason !== undefined],
    ['at', 'ms', (row) => row.atMs],
  ],
);

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
  const patches = mergedPatches(group.changes('editScan'), (change) => change.scanId);
  if (patches.length > 0) await sql.execute(PATCH_SCANS, PATCHES.params(patches));
}
