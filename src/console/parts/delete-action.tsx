/** Deletes a record. It first says what still needs the record, and whether the record would be removed or hidden. */
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { count } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Failure, Loaded } from './states.tsx';

type Preview = components['schemas']['DeletionPreview'];

const REMOVED = 'Nothing refers to it.';
const HIDDEN = 'Other records refer to it. It is hidden from all lists, and its history is kept.';

function wordsFor(outcome: Preview['outcome'], isNamed: boolean): string {
  switch (outcome) {
    case 'removed':
      return isNamed ? `${REMOVED} It is removed, and its name becomes free.` : `${REMOVED} It is removed.`;
    case 'hidden':
      return isNamed ? `${HIDDEN} Creating one with its name restores it.` : HIDDEN;
    case 'refused':
      return 'It cannot be deleted now, because something needs it.';
  }
}

interface Props {
  /** The record's path in the interface. */
  readonly path: string;
  /** "batch 12". */
  readonly what: string;
  /** Datasets and batches have no names. A name becomes free, or restores the record. */
  readonly isNamed?: boolean;
  /** The first parts of the keys of queries that are out of date after the deletion. */
  readonly changes: readonly string[];
  /** The address to go to afterwards. */
  readonly then: string;
}

export function DeleteAction(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger>Delete…</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">{isOpen && <DeleteForm {...props} />}</Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function DeleteForm({ path, what, isNamed = false, changes, then }: Props) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const preview = useQuery({
    queryKey: ['deletion-preview', path],
    queryFn: async ({ signal }) =>
      (await client.request('DELETE', `${path}?dry_run=true`, { signal })).body as Preview,
    gcTime: 0,
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: () => client.request('DELETE', path),
    async onSuccess() {
      await navigate({ href: then });
      for (const key of changes) await queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const isRefused = preview.data === undefined || preview.data.outcome === 'refused';
  return (
    <>
      <Dialog.Title>Delete {what}</Dialog.Title>
      <Loaded query={preview}>
        {({ outcome, needed_by, more_count }) => (
          <>
            <Dialog.Description>{wordsFor(outcome, isNamed)}</Dialog.Description>
            {needed_by.length > 0 && (
              <ul className="problems">
                {needed_by.map(({ kind, id, reason }) => (
                  <li key={`${kind} ${id}`}>{sentence(reason)}</li>
                ))}
                {more_count > 0 && <li>and {count(more_count)} more</li>}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {remove.isError && <Failure error={remove.error} />}
      <div className="actions">
        <Dialog.Close>Close</Dialog.Close>
        <button
          type="button"
          className="danger"
          disabled={isRefused || remove.isPending}
          onClick={() => remove.mutate()}
        >
          Delete {what}
        </button>
      </div>
    </>
  );
}
