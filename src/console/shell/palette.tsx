/** Dialogs of the keyboard: a palette that leads to pages and objects, and the list of keys. */
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { GROUPS, MORE_PLACES } from './places.ts';

interface Entry {
  readonly title: string;
  go(): void;
}

interface DialogProps {
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** What has a page by its id. */
const OBJECTS = [
  { noun: 'Job', to: '/console/jobs/$id/' },
  { noun: 'File', to: '/console/files/$id/' },
  { noun: 'Arrival', to: '/console/arrivals/$id/' },
  { noun: 'Strike', to: '/console/strikes/$id/' },
  { noun: 'Workspace', to: '/console/workspaces/$id/' },
] as const;
const PLACES = [...GROUPS.flatMap(({ places }) => places), ...MORE_PLACES];

function useEntries(text: string, close: () => void): readonly Entry[] {
  const navigate = useNavigate();
  const wanted = text.trim().toLowerCase();
  const places = PLACES.filter(({ title }) => title.toLowerCase().includes(wanted)).map(
    ({ title, href }) => ({
      title,
      go: () => {
        close();
        if (href.startsWith('/docs/')) location.assign(href);
        else void navigate({ href });
      },
    }),
  );
  if (!/^\d{1,15}$/.test(wanted)) return places;
  const objects = OBJECTS.map(({ noun, to }) => ({
    title: `${noun} ${wanted}`,
    go: () => {
      close();
      void navigate({ to, params: { id: wanted } });
    },
  }));
  return [...objects, ...places];
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
  const entries = useEntries(text, close);
  const chosen = Math.min(at, entries.length - 1);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') entries[chosen]?.go();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Go to a page, or an object by its id"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        placeholder="Go to a page, or an object by its id"
        value={text}
        onKeyDown={press}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
      />
      <div id="palette-list" role="listbox" aria-label="Pages">
        {entries.map(({ title, go }, index) => (
          <div
            key={title}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onClick={go}
            onKeyDown={press}
          >
            {title}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="soft">Nothing has this name.</p>}
    </>
  );
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
