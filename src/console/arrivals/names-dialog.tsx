/** Tries names of files with the rules of a strike: whether such files would arrive, and why not. */
import { Dialog } from '@base-ui/react/dialog';
import { useId, useState } from 'react';
import { ObjectChoice, useFirstChoices } from '../choices/object-choice.tsx';
import { TitledDialog } from '../parts/dialogs.tsx';
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
    <TitledDialog isOpen={isOpen} close={close} title="Which files would arrive" isBroad>
      <Tester first={strike} />
      <div className="actions">
        <Dialog.Close>Close</Dialog.Close>
      </div>
    </TitledDialog>
  );
}

function Tester({ first }: { readonly first: string | undefined }) {
  const id = useId();
  const [chosen, setStrike] = useState(first);
  const all = useFirstChoices(strikesById).data;
  // A single strike needs no choice.
  const strike = chosen ?? (all?.count === 1 ? all.choices[0]?.[0] : undefined) ?? '';
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
