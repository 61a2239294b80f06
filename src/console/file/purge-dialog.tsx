/** Removes a source and everything made of it: shows first what would be removed, and starts when confirmed. */
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { bytes, count, counted } from '../format/amounts.ts';
import { Failure, Loaded } from '../parts/states.tsx';
import type { StoredFile } from './queries.ts';

type Preview = components['schemas']['PurgePreview'];

interface Props {
  readonly file: StoredFile;
  readonly isOpen: boolean;
  readonly close: () => void;
}

export function PurgeDialog({ file, isOpen, close }: Props) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">{isOpen && <PurgeForm file={file} close={close} />}</Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PurgeForm({ file, close }: Omit<Props, 'isOpen'>) {
  const queries = useQueryClient();
  const [removesSource, setRemovesSource] = useState(false);
  const body = { file_id: file.id, delete_source_bytes: removesSource };
  const preview = useQuery({
    queryKey: ['preview', 'purge', body],
    queryFn: async ({ signal }) =>
      (await client.post('/v6/files/purge-source/', { body, query: { dry_run: true }, signal })) as Preview,
    gcTime: 0,
  });
  const send = useMutation({
    mutationFn: () => client.post('/v6/files/purge-source/', { body }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['purges'] });
      // Only whether it is still there: what is gone has no content and no lineage.
      await queries.invalidateQueries({ queryKey: ['file', file.id], exact: true });
    },
  });
  const total = preview.data?.files.count ?? 0;
  return (
    <>
      <Dialog.Title className="foreign">Purge {file.file_name}</Dialog.Title>
      <Loaded query={preview}>{(found) => <PreviewText preview={found} />}</Loaded>
      <label className="check">
        <input
          type="checkbox"
          checked={removesSource}
          onChange={({ target }) => setRemovesSource(target.checked)}
        />
        Remove the bytes of the source from {file.workspace.name} as well
      </label>
      {send.isError && <Failure error={send.error} />}
      <div className="actions">
        <Dialog.Close>Close</Dialog.Close>
        <button
          type="button"
          className="danger"
          disabled={preview.data === undefined || preview.isFetching || send.isPending}
          onClick={() => send.mutate()}
        >
          Purge {counted(total, 'file')}
        </button>
      </div>
    </>
  );
}

function PreviewText({ preview }: { readonly preview: Preview }) {
  const { files, workspaces, jobs, recipes, other_sources, dataset_ids, batch_ids, is_cut } = preview;
  return (
    <>
      <Dialog.Description>
        {is_cut ? 'At least ' : ''}
        {counted(files.count, 'file')} with {bytes(files.bytes)}, {counted(jobs.count, 'job')} and{' '}
        {counted(recipes, 'recipe')} will be removed for good: the source and all that was made of it.
        {jobs.live > 0 &&
          ` ${counted(jobs.live, 'job')} of them must be canceled first, which the purge does.`}
      </Dialog.Description>
      <ul className="counts">
        {workspaces.map(({ id, name, files: inside, bytes: size }) => (
          <li key={id}>
            {name}{' '}
            <span className="number">
              {counted(inside, 'file')}, {bytes(size)}
            </span>
          </li>
        ))}
      </ul>
      {other_sources.count > 0 && (
        <p className="note">
          {counted(other_sources.count, 'other source')} will be kept, without what was made of them together
          with this one.
        </p>
      )}
      {dataset_ids.length > 0 && (
        <p className="soft">Datasets with these files: {dataset_ids.map(count).join(', ')}.</p>
      )}
      {batch_ids.length > 0 && (
        <p className="soft">Batches of these recipes: {batch_ids.map(count).join(', ')}.</p>
      )}
    </>
  );
}
