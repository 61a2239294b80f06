/** Failed jobs in groups, each with its actions: look at the jobs, requeue them, mark the failure as known. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { type JobRequest, RequestDialog } from '../jobs/request-dialog.tsx';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Field, problemAt, takeFocus } from '../parts/form.tsx';
import { Ago } from '../parts/instants.tsx';
import type { FailureGroup, FailureRange } from './queries.ts';

const NOTE_CHARS_MAX = 1_000;
const RANGE_MS = { PT1H: 3_600_000, P1D: 86_400_000, P7D: 604_800_000 } as const;

interface Props {
  readonly group: FailureGroup;
  /** The failures of a range of time, or of one batch. */
  readonly range?: FailureRange;
  readonly batchId?: number;
  /** The group has left the list, such as because somebody has marked it as known. Its note is being written. */
  readonly isKept?: boolean;
  /** Called when its note is opened and closed. */
  readonly onNote?: (isOpen: boolean) => void;
}

/** One group as an entry of a list. */
export function FailureEntry({ group, range, batchId, isKept = false, onNote }: Props) {
  const { job_type, error, count, most_recent, is_known, note, noted_by, noted } = group;
  const { mayWrite } = useAccount();
  const [request, setRequest] = useState<JobRequest>();
  const choice = {
    status: 'FAILED' as const,
    job_type_ids: [job_type.id],
    ...(error === null ? {} : { error_ids: [error.id] }),
    ...(batchId === undefined ? {} : { batch_ids: [batchId] }),
  };
  return (
    <li className={is_known ? 'known' : ''}>
      <span aria-hidden="true" className={is_known ? 'soft shape' : 'bad shape'}>
        {is_known ? '–' : '✕'}
      </span>
      <div>
        <strong>
          {job_type.title} {job_type.version}: {counted(count, 'job')} failed
        </strong>
        <p className="matter-text">
          {error === null ? 'Without an error' : `${error.title} (${error.category.toLowerCase()} error)`},
          last <Ago at={most_recent} />
          {error !== null && error.description !== '' && `. ${error.description}`}
        </p>
        {note !== '' && <p className="matter-text note-text">{note}</p>}
        {is_known && (
          <p className="matter-text">
            Known{noted_by === null ? '' : `, noted by ${noted_by}`} <Ago at={noted} />
          </p>
        )}
      </div>
      <div className="matter-actions">
        <Link
          className="button"
          to="/console/jobs/"
          search={{
            status: 'FAILED',
            type: job_type.name,
            ...(range === undefined ? {} : { changed: range }),
            ...(batchId === undefined ? {} : { batch: String(batchId) }),
            ...(error === null ? {} : { error: String(error.id) }),
          }}
        >
          Show
        </Link>
        {mayWrite && (
          <button
            type="button"
            onClick={() => {
              const since =
                range === undefined ? {} : { started: new Date(Date.now() - RANGE_MS[range]).toISOString() };
              setRequest({ action: 'requeue', choice: { ...choice, ...since } });
            }}
          >
            Requeue…
          </button>
        )}
        {mayWrite && error !== null && <NoteAction {...{ group, isKept, onNote }} errorId={error.id} />}
      </div>
      <RequestDialog request={request} close={() => setRequest(undefined)} />
    </li>
  );
}

/** What somebody else has noted since the dialog was opened: saving would replace it unseen. */
function Meanwhile({ group: { noted, noted_by, note }, isKept }: Pick<NoteProps, 'group' | 'isKept'>) {
  const [first] = useState(noted);
  if (noted === first && !isKept) return null;
  const saved = note === '' ? ', without a note' : `: ${note}`;
  return (
    <p className="note" role="alert">
      {isKept
        ? 'It has left this list: somebody may have marked it as known meanwhile. What you save replaces their note.'
        : `${noted_by ?? 'Somebody'} has saved this meanwhile${saved}. What you save replaces it.`}
    </p>
  );
}

interface NoteProps {
  readonly group: FailureGroup;
  readonly errorId: number;
  readonly isKept: boolean;
  readonly onNote: ((isOpen: boolean) => void) | undefined;
}

function NoteAction({ group, errorId, isKept, onNote }: NoteProps) {
  const { job_type, is_known, note } = group;
  return (
    <ActionDialog
      button={is_known ? 'Note…' : 'Mark as known…'}
      title={`${job_type.title}: ${group.error?.title ?? ''}`}
      text="Everyone sees it. It also applies to later failures of this type with this error."
      confirm="Save"
      run={(fields) =>
        client.patch('/v6/failures/{job_type_id}/{error_id}/', {
          path: { job_type_id: job_type.id, error_id: errorId },
          body: { is_known: fields.get('known') === 'on', note: String(fields.get('note') ?? '') },
        })
      }
      changes={['failures', 'overview']}
      onOpen={onNote}
    >
      {(error) => (
        <>
          <label className="check">
            <input type="checkbox" name="known" defaultChecked />
            Known
          </label>
          <Meanwhile {...{ group, isKept }} />
          <Field
            label="Note"
            hint="What it is, and what is done about it."
            problem={problemAt(error, 'note')}
          >
            {(ids) => (
              <textarea
                {...ids}
                ref={takeFocus}
                name="note"
                rows={4}
                maxLength={NOTE_CHARS_MAX}
                defaultValue={note}
              />
            )}
          </Field>
        </>
      )}
    </ActionDialog>
  );
}
