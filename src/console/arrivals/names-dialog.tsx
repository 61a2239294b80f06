/** Tries names of files with the rules of a strike: whether such files would arrive, and why not. */
import { Dialog } from '@base-ui/react/dialog';
import { useId, useState } from 'react';
import { ObjectChoice } from '../choices/object-choice.tsx';
import { NamesTester } from '../strike/names-tester.tsx';
import { strikesById } from '../strikes/queries.ts';

interface Props {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** The id of the strike that is chosen at first. */
  readonly strike: string | undefined;
}

export function NamesDialog({ isOpen, close, strike }: Props) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog broad">
          <Dialog.Title>Which files would arrive</Dialog.Title>
          {isOpen && <Tester first={strike} />}
          <div className="actions">
            <Dialog.Close>Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Tester({ first = '' }: { readonly first: string | undefined }) {
  const id = useId();
  const [strike, setStrike] = useState(first);
  return (
    <>
      <div className="names-form">
        <label htmlFor={id}>Strike</label>
        <ObjectChoice id={id} source={strikesById} value={strike} set={setStrike} />
      </div>
      {strike !== '' && <NamesTester key={strike} strikeId={Number(strike)} />}
    </>
  );
}
