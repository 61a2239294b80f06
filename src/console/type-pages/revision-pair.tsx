/** Chooses the two revisions to compare. */
import type { ReactNode } from 'react';
import { instantInFull } from '../format/times.ts';

interface Revision {
  readonly revision_num: number;
  readonly created: string;
}

interface Props {
  /** The newest first. */
  readonly revisions: readonly Revision[];
  readonly shown: number;
  readonly before: number;
  readonly show: (shown: number, before: number) => void;
}

interface OnlyProps {
  readonly revision: Revision;
  /** Creates the next revision; undefined for accounts that may only read. */
  readonly edit?: ReactNode;
}

/** Shown instead of a comparison. */
export function OnlyRevision({ revision: { revision_num, created }, edit }: OnlyProps) {
  return (
    <section aria-label="Revision">
      <h2>Revision {revision_num} is the only one</h2>
      <p className="soft">
        Created on {instantInFull(Date.parse(created))}. Once there is another, what changed is shown here.{' '}
        {edit}
      </p>
    </section>
  );
}

export function RevisionPair({ revisions, shown, before, show }: Props) {
  return (
    <div className="filters">
      <RevisionChoice
        label="Revision"
        value={shown}
        revisions={revisions}
        set={(revision) => show(revision, before === revision ? Math.max(1, revision - 1) : before)}
      />
      <RevisionChoice
        label="Compared with"
        value={before}
        revisions={revisions}
        set={(revision) => show(shown, revision)}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly revisions: readonly Revision[];
  readonly set: (revision: number) => void;
}

function RevisionChoice({ label, value, revisions, set }: ChoiceProps) {
  return (
    <label className="choice">
      <span className="choice-name">{label}</span>
      <select value={value} onChange={({ target }) => set(Number(target.value))}>
        {revisions.map(({ revision_num, created }) => (
          <option key={revision_num} value={revision_num}>
            {revision_num}, {instantInFull(Date.parse(created))}
          </option>
        ))}
      </select>
    </label>
  );
}
