/** A text field with the list of what is found for it: the arrow keys choose, Enter takes. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { takeFocus } from '../parts/form.tsx';
import { Failure } from '../parts/states.tsx';

export interface SearchEntry {
  readonly key: string;
  readonly title: ReactNode;
  readonly detail: string;
  /** Enter takes it without waiting for the service. */
  readonly isAtOnce: boolean;
}

interface Props<E extends SearchEntry> {
  /** What can be found: the field's label and its placeholder. */
  readonly label: string;
  /** What the list holds. */
  readonly listLabel: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly entries: readonly E[];
  readonly isSearching: boolean;
  readonly error: unknown;
  readonly take: (entry: E) => void;
}

export function SearchList<E extends SearchEntry>(props: Props<E>) {
  const { label, listLabel, text, setText, entries, isSearching, error, take } = props;
  const id = useId();
  const [at, setAt] = useState(0);
  const [isEntered, setIsEntered] = useState(false);
  const chosen = Math.min(at, entries.length - 1);
  const entry = entries[chosen];
  // If Enter was pressed before the service answered, the chosen entry of the answer is taken.
  useEffect(() => {
    if (isEntered && !isSearching && entry !== undefined) take(entry);
  }, [isEntered, isSearching, entry, take]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter' && entry?.isAtOnce === true) take(entry);
    else if (event.key === 'Enter') setIsEntered(true);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={takeFocus}
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={`${id}-${chosen}`}
        placeholder={label}
        spellCheck={false}
        value={text}
        onKeyDown={press}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
          setIsEntered(false);
        }}
      />
      <div id={`${id}-list`} role="listbox" aria-label={listLabel} aria-busy={isSearching}>
        {entries.map((one, index) => (
          <div
            key={one.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            ref={index === chosen ? showChosen : undefined}
            onClick={() => take(one)}
            onKeyDown={press}
          >
            <span>{one.title}</span>
            <span className="soft">{one.detail}</span>
          </div>
        ))}
      </div>
      {error !== null && <Failure error={error} />}
    </>
  );
}

/** Returns nothing: React takes a result for a cleanup function, and `scrollIntoView` may return a promise. */
function showChosen(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
