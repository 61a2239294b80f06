/** Strikes of a commit group: patches of their rows, and the progress of their listings. */
import { type ChangeOf, type Group, mergedPatches } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { StrikeEntity } from './table.ts';

const PATCHES = rowsOf(StrikeEntity).from<ChangeOf<'editStrike'>>(
  {
    id: (row) => row.strikeId,
    title: ({ patch }) => patch.title,
    description: ({ patch }) => patch.description,
    configuration: ({ patch }) => patch.configuration,
    workspaceId: ({ patch }) => patch.workspaceId,
    labels: ({ patch }) => patch.labels,
    isPaused: ({ patch }) => patch.isPaused,
    deferredCursor: ({ patch }) => patch.deferredCursor,
  },
  [
    ['has_cursor', 'bool', ({ patch }) => patch.deferredCursor !== undefined],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const PATCHED = ['title', 'description', 'configuration', 'workspace_id', 'is_paused', 'labels'];

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
  const patches = mergedPatches(group.changes('editStrike'), (change) => change.strikeId);
  if (patches.length > 0) await sql.execute(PATCH_STRIKES, PATCHES.params(patches));
}
