/** Dialogs: the frame of one with a title, and one that asks before a change. */
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Failure } from './states.tsx';

interface TitledProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: string;
  /** Has room for a table. */
  readonly isBroad?: boolean;
  /** Rendered while the dialog is open, and anew at each opening. */
  readonly children: ReactNode;
}

export function TitledDialog({ isOpen, close, title, isBroad = false, children }: TitledProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={isBroad ? 'dialog broad' : 'dialog'}>
          <Dialog.Title>{title}</Dialog.Title>
          {isOpen && children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface Props {
  /** The text of the button that opens the dialog. */
  readonly button: string;
  readonly title: string;
  /** What the change does, in a sentence. */
  readonly text?: ReactNode;
  /** The fields of the dialog, given the error of the last attempt. */
  readonly children?: (error: unknown) => ReactNode;
  readonly confirm: string;
  readonly isDanger?: boolean;
  readonly isQuiet?: boolean;
  readonly isPrimary?: boolean;
  readonly isOff?: boolean;
  /** Makes the change with the values of the fields. Its result is passed to `done`. */
  readonly run: (fields: FormData) => Promise<unknown>;
  /** Shown after the change. Without it, the dialog closes. */
  readonly done?: (answer: unknown) => ReactNode;
  /** The first parts of the keys of queries that are out of date after the change. */
  readonly changes: readonly string[];
  /** Called when the dialog is opened and closed. */
  readonly onOpen?: ((isOpen: boolean) => void) | undefined;
}

/** Says what the change does, makes it, and shows a refusal. */
export function ActionDialog(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const show = (isShown: boolean): void => {
    setIsOpen(isShown);
    props.onOpen?.(isShown);
  };
  const { button, isQuiet = false, isPrimary = false, isOff = false } = props;
  return (
    <Dialog.Root open={isOpen} onOpenChange={show}>
      <Dialog.Trigger className={isQuiet ? 'quiet' : isPrimary ? 'primary' : ''} disabled={isOff}>
        {button}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          {isOpen && <ActionForm {...props} close={() => show(false)} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ActionForm(props: Props & { readonly close: () => void }) {
  const { title, text, children, confirm, isDanger = false, run, done, changes, close } = props;
  const queries = useQueryClient();
  const action = useMutation({
    mutationFn: run,
    async onSuccess() {
      if (done === undefined) close();
      for (const key of changes) await queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    action.mutate(new FormData(event.currentTarget));
  };
  if (done !== undefined && action.isSuccess) {
    return (
      <>
        <Dialog.Title>{title}</Dialog.Title>
        {done(action.data)}
        <div className="actions">
          <Dialog.Close>Close</Dialog.Close>
        </div>
      </>
    );
  }
  return (
    <form className="form" onSubmit={submit}>
      <Dialog.Title>{title}</Dialog.Title>
      {text !== undefined && <Dialog.Description>{text}</Dialog.Description>}
      {children?.(action.error)}
      {action.isError && <Failure error={action.error} />}
      <div className="actions">
        <Dialog.Close type="button">Close</Dialog.Close>
        <button type="submit" className={isDanger ? 'danger' : 'primary'} disabled={action.isPending}>
          {confirm}
        </button>
      </div>
    </form>
  );
}
