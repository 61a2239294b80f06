/** Requeues or cancels jobs: first says how many would change, and sends the request when confirmed. */
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { Failure, Loaded } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { JobChoice } from './job-search.ts';

export type JobAction = 'requeue' | 'cancel';

export interface JobRequest {
  readonly action: JobAction;
  readonly choice: JobChoice;
}

const PATHS = { requeue: '/v6/jobs/requeue/', cancel: '/v6/jobs/cancel/' } as const;
const TITLES = { requeue: 'Requeue jobs', cancel: 'Cancel jobs' } as const;

interface Preview {
  readonly job_count: number;
  readonly is_cut: boolean;
  readonly statuses: readonly { readonly status: string; readonly job_count: number }[];
  readonly job_types: readonly {
    readonly id: number;
    readonly name: string;
    readonly version: string;
    readonly job_count: number;
  }[];
}

interface Props {
  readonly request: JobRequest | undefined;
  readonly close: () => void;
}

export function RequestDialog({ request, close }: Props) {
  return (
    <Dialog.Root open={request !== undefined} onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          {request !== undefined && <RequestForm request={request} close={close} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function RequestForm({ request, close }: { readonly request: JobRequest; readonly close: () => void }) {
  const { action, choice } = request;
  const queries = useQueryClient();
  const [isNewest, setIsNewest] = useState(false);
  const body = action === 'requeue' && isNewest ? { ...choice, revision: 'newest' as const } : choice;
  const preview = useQuery({
    queryKey: ['preview', action, body],
    queryFn: async ({ signal }) =>
      (await client.post(PATHS[action], { body, query: { dry_run: true }, signal })) as Preview,
    gcTime: 0,
  });
  const send = useMutation({
    mutationFn: () => client.post(PATHS[action], { body }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['job'] });
      await queries.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  const total = preview.data?.job_count ?? 0;
  return (
    <>
      <Dialog.Title>{TITLES[action]}</Dialog.Title>
      <Loaded query={preview}>{(found) => <PreviewText action={action} preview={found} />}</Loaded>
      {action === 'requeue' && (
        <label className="check">
          <input type="checkbox" checked={isNewest} onChange={({ target }) => setIsNewest(target.checked)} />
          Use the newest revision of each job type
        </label>
      )}
      {send.isError && <Failure error={send.error} />}
      <div className="actions">
        <Dialog.Close>Close</Dialog.Close>
        <button
          type="button"
          className={action === 'cancel' ? 'danger' : 'primary'}
          disabled={total === 0 || preview.isFetching || send.isPending}
          onClick={() => send.mutate()}
        >
          {action === 'requeue' ? 'Requeue' : 'Cancel'} {counted(total, 'job')}
        </button>
      </div>
    </>
  );
}

function PreviewText({ action, preview }: { readonly action: JobAction; readonly preview: Preview }) {
  const { job_count, is_cut, statuses, job_types } = preview;
  if (job_count === 0) {
    return (
      <Dialog.Description>
        {action === 'requeue'
          ? 'None of these jobs can be requeued: completed, pending, blocked and superseded jobs cannot.'
          : 'None of these jobs can be canceled: they have ended.'}
      </Dialog.Description>
    );
  }
  return (
    <>
      <Dialog.Description>
        {is_cut ? 'At least ' : ''}
        {counted(job_count, 'job')} will be {action === 'requeue' ? 'queued again' : 'canceled'}. Running jobs{' '}
        {action === 'requeue' ? 'are ended first.' : 'are ended on their nodes.'}
      </Dialog.Description>
      <ul className="counts">
        {statuses.map((each) => (
          <li key={each.status}>
            <StatusMark status={each.status} />{' '}
            <span className="number">{counted(each.job_count, 'job')}</span>
          </li>
        ))}
        {job_types.map((each) => (
          <li key={each.id}>
            {each.name} {each.version}: <span className="number">{counted(each.job_count, 'job')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
