/** Dialogs for the keyboard: a palette that goes to pages and objects, and the list of keys. */
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { SearchList } from '../choices/search-list.tsx';
import { type Entry, useEntries } from './palette-entries.ts';

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
  return (
    <SearchList
      label="Go to a page, or an object by its name or id"
      listLabel="Pages and objects"
      text={text}
      setText={setText}
      {...useEntries(text, close)}
      take={enter}
    />
  );
}

const enter = (entry: Entry): void => entry.go();

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
