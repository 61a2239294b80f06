/** A status as a shape, a colour and a word. */
export type Tone = 'good' | 'bad' | 'busy' | 'wait' | 'idle';

const TONES: Readonly<Record<string, Tone>> = {
  ...{ RUNNING: 'busy', QUEUED: 'wait', PENDING: 'idle', BLOCKED: 'wait', FAILED: 'bad', COMPLETED: 'good' },
  ...{ ACCEPTED: 'good', REFUSED: 'wait', SKIPPED: 'idle', SUPERSEDED: 'idle' },
  ...{ CANCELED: 'idle', READY: 'good', PAUSED: 'wait', OFFLINE: 'bad', DEGRADED: 'wait', ONLINE: 'good' },
  ...{ TRANSFERRING: 'busy', TRANSFERRED: 'wait', INGESTING: 'busy', INGESTED: 'good', ERRORED: 'bad' },
  ...{ DEFERRED: 'wait', DUPLICATE: 'idle', WAITING: 'wait', WATCHING: 'busy' },
};
export const SHAPES: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✕',
  busy: '▸',
  wait: '◦',
  idle: '–',
};

export function toneOf(status: string): Tone {
  return TONES[status] ?? 'idle';
}

export function StatusMark({ status, text }: { readonly status: string; readonly text?: string }) {
  const tone = toneOf(status);
  return (
    <span className={`status ${tone}`}>
      <span aria-hidden="true" className="shape">
        {SHAPES[tone]}
      </span>
      {text ?? wordOf(status)}
    </span>
  );
}

/** Parts of the service whose names in the interface are abbreviations. */
const PARTS: Readonly<Record<string, string>> = { msg_queue: 'Message queue', idam: 'Identity provider' };

/** The name of a part that the service depends on. */
export function partName(part: string): string {
  return PARTS[part] ?? wordOf(part);
}

/** `FAILED` as `Failed`, `host_path` as `Host path`. */
export function wordOf(status: string): string {
  return status.charAt(0).toUpperCase() + status.slice(1).toLowerCase().replaceAll('_', ' ');
}
