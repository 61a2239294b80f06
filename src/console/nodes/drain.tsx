/** Pauses and resumes a node. A paused node finishes its running jobs. */
import { client } from '../client.ts';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Field, problemAt } from '../parts/form.tsx';

interface Props {
  readonly id: number;
  readonly hostname: string;
  readonly isPaused: boolean;
  readonly isActive: boolean;
  readonly runningCount: number;
}

const CHANGES = ['nodes', 'status', 'overview'];
const REASON_CHARS_MAX = 250;

export function DrainActions({ id, hostname, isPaused, isActive, runningCount }: Props) {
  const path = { id };
  if (!isActive) {
    return (
      <ActionDialog
        button="Activate…"
        title={`Activate ${hostname}`}
        text="The node takes jobs again as soon as its agent is connected."
        confirm="Activate"
        run={() => client.patch('/v6/nodes/{id}/', { path, body: { is_active: true } })}
        changes={CHANGES}
      />
    );
  }
  if (isPaused) {
    return (
      <ActionDialog
        button="Resume…"
        title={`Resume ${hostname}`}
        text="The node takes new jobs again."
        confirm="Resume"
        run={() => client.patch('/v6/nodes/{id}/', { path, body: { is_paused: false } })}
        changes={CHANGES}
      />
    );
  }
  const running =
    runningCount === 0
      ? 'Nothing runs there now.'
      : `What runs there (${runningCount}) continues to its end.`;
  return (
    <ActionDialog
      button="Drain…"
      title={`Drain ${hostname}`}
      text={`The node takes no new jobs. ${running}`}
      confirm="Drain"
      run={(fields) =>
        client.patch('/v6/nodes/{id}/', {
          path,
          body: { is_paused: true, pause_reason: String(fields.get('reason') ?? '') },
        })
      }
      changes={CHANGES}
    >
      {(error) => (
        <Field label="Reason" hint="Everyone sees it." problem={problemAt(error, 'pause_reason')}>
          {(ids) => <input {...ids} name="reason" maxLength={REASON_CHARS_MAX} autoComplete="off" />}
        </Field>
      )}
    </ActionDialog>
  );
}
