/** A list in words of the nodes that differ between two revisions of a recipe type. */
import { Fact } from '../parts/fact.tsx';
import type { Difference } from './queries.ts';

const WORDS = { NEW: 'new', DELETED: 'removed' } as const;

export function ChangedNodes({ diff }: { readonly diff: Difference }) {
  const changed = Object.entries(diff.nodes).filter(([, { status }]) => status !== 'UNCHANGED');
  return (
    <>
      {diff.can_be_reprocessed ? null : (
        <p className="note">
          Recipes of the earlier revision cannot be reprocessed as this one:{' '}
          {diff.reasons.map(({ description }) => description).join('; ')}.
        </p>
      )}
      {changed.length === 0 && <p className="soft">No node differs.</p>}
      <dl className="facts changed-nodes">
        {changed.map(([name, { status, changes }]) => (
          <Fact key={name} name={name}>
            {status === 'NEW' || status === 'DELETED'
              ? WORDS[status]
              : changes.map(({ description }) => description).join('; ')}
          </Fact>
        ))}
      </dl>
    </>
  );
}
