/** Dialogs for the keyboard: a palette that goes to pages and objects, and the list of keys. */
import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { takeFocus } from '../parts/form.tsx';
import { Failure } from '../parts/states.tsx';
import { useEntries } from './palette-entries.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

export function Palette({ isOpen, onOpenChange }: DialogProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="hidden">Go to</Dialog.Title>
          <PaletteList close={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteList({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [isEntered, setIsEntered] = useState(false);
  const { entries, isSearching, error } = useEntries(text, close);
  const chosen = Math.min(at, entries.length - 1);
  const entry = entries[chosen];
  // If Enter was pressed before the service answered, the chosen entry of the answer is opened.
  useEffect(() => {
    if (isEntered && !isSearching) entry?.go();
  }, [isEntered, isSearching, entry]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter' && entry?.isPage === true) entry.go();
    else if (event.key === 'Enter') setIsEntered(true);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={takeFocus}
        role="combobox"
        aria-label="Go to a page, or an object by its name or id"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        placeholder="Go to a page, or an object by its name or id"
        spellCheck={false}
        value={text}
        onKeyDown={press}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
          setIsEntered(false);
        }}
      />
      <div id="palette-list" role="listbox" aria-label="Pages and objects" aria-busy={isSearching}>
        {entries.map(({ key, title, detail, go }, index) => (
          <div
            key={key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            ref={index === chosen ? showChosen : undefined}
            onClick={go}
            onKeyDown={press}
          >
            <span>{title}</span>
            <span className="soft">{detail}</span>
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

const KEYS = [
  ['/', 'Go to a page or an object'],
  ['j, k', 'Next row, row before'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['t', 'Change the theme'],
  ['?', 'This list'],
] as const;

export function KeyList({ isOpen, onOpenChange }: DialogProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Keys</Dialog.Title>
          <dl className="facts">
            {KEYS.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <div className="actions">
            <Dialog.Close>Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
