/** The scheduler: whether it places jobs, in which order, and its other settings. */
import { client } from '../client.ts';
import { ActionDialog } from '../parts/dialogs.tsx';
import { Field, problemAt } from '../parts/form.tsx';
import type { SchedulerSettings } from './queries.ts';

const MODES = [
  ['FIFO', 'Oldest first (FIFO)'],
  ['LIFO', 'Newest first (LIFO)'],
] as const;
const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;
const HANDLERS_MAX = 64;
const CHANGES = ['scheduler', 'status', 'queue', 'overview'];

export function SchedulerActions({ settings }: { readonly settings: SchedulerSettings }) {
  return (
    <>
      <ActionDialog
        button="Settings…"
        title="Settings of the scheduler"
        confirm="Save"
        run={(fields) =>
          client.patch('/v6/scheduler/', {
            body: {
              queue_mode: String(fields.get('queue_mode')),
              num_message_handlers: Number(fields.get('num_message_handlers')),
              system_logging_level: String(fields.get('system_logging_level')),
            },
          })
        }
        changes={CHANGES}
      >
        {(error) => <SettingsFields settings={settings} error={error} />}
      </ActionDialog>
      <PauseAction isPaused={settings.is_paused} />
    </>
  );
}

interface FieldsProps {
  readonly settings: SchedulerSettings;
  readonly error: unknown;
}

function SettingsFields({ settings, error }: FieldsProps) {
  const { queue_mode, num_message_handlers, system_logging_level } = settings;
  return (
    <>
      <Field
        label="Order of jobs with the same priority"
        hint="A smaller priority number comes first in either order."
        problem={problemAt(error, 'queue_mode')}
      >
        {(ids) => (
          <select {...ids} name="queue_mode" defaultValue={queue_mode}>
            {MODES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Commits in progress"
        hint={`For each coordinator: 0 to ${HANDLERS_MAX}; 0 counts as 1.`}
        problem={problemAt(error, 'num_message_handlers')}
      >
        {(ids) => (
          <input
            {...ids}
            name="num_message_handlers"
            type="number"
            min={0}
            max={HANDLERS_MAX}
            defaultValue={num_message_handlers}
          />
        )}
      </Field>
      <Field
        label="Level of logs"
        hint="Applies to coordinators and agents without a restart."
        problem={problemAt(error, 'system_logging_level')}
      >
        {(ids) => (
          <select {...ids} name="system_logging_level" defaultValue={system_logging_level}>
            {LEVELS.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

export function PauseAction({ isPaused }: { readonly isPaused: boolean }) {
  const run = () => client.patch('/v6/scheduler/', { body: { is_paused: !isPaused } });
  return isPaused ? (
    <ActionDialog
      button="Resume the scheduler…"
      title="Resume the scheduler"
      text="Queued jobs are placed on nodes again. Nodes that are paused individually stay paused."
      confirm="Resume"
      isPrimary
      run={run}
      changes={CHANGES}
    />
  ) : (
    <ActionDialog
      button="Pause the scheduler…"
      title="Pause the scheduler"
      text="No job, strike or ingest is placed on a node. Running work continues."
      confirm="Pause"
      run={run}
      changes={CHANGES}
    />
  );
}
