/** The filters of a list, with a button that clears them. */
import type { ReactNode } from 'react';

interface BarProps {
  readonly isFiltered: boolean;
  readonly clear: () => void;
  readonly children: ReactNode;
}

export function FilterBar({ isFiltered, clear, children }: BarProps) {
  return (
    <search className="filters">
      {children}
      {isFiltered && (
        <button type="button" className="quiet" onClick={clear}>
          Clear filters
        </button>
      )}
    </search>
  );
}

interface SetProps {
  /** The name of the filter: "Recipe". */
  readonly name: string;
  readonly value: string | undefined;
  readonly remove: () => void;
}

/** A filter that a link has set. It can only be removed. */
export function SetFilter({ name, value, remove }: SetProps) {
  if (value === undefined) return null;
  return (
    <button type="button" className="chosen-filter" onClick={remove}>
      {name} {value} <span aria-hidden="true">✕</span>
      <span className="hidden">Remove this filter</span>
    </button>
  );
}
