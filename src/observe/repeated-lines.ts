/**
 * Limits log lines that recur with each try: the first is written at once; further ones with the same event and reason
 * are counted, and the count is written now and then. Applies only to lines with a reason (`error` or `reason`).
 */
import type { LogFields } from '../lib/logger.ts';

const EVERY_MS = 10_000;
// limit: different lines that are counted. Others are always written.
const TROUBLES_MAX = 200;
const KEY_CHARS_MAX = 300;

type Write = (fields: LogFields) => void;

interface Trouble {
  count: number;
  last: LogFields;
  readonly write: Write;
}

/** Calls `run` once, later; does not keep the process alive. */
export type Later = (ms: number, run: () => void) => void;

const realLater: Later = (ms, run) => void setTimeout(run, ms).unref();

export class RepeatedLines {
  readonly #later: Later;
  readonly #troubles = new Map<string, Trouble>();

  constructor(later: Later = realLater) {
    this.#later = later;
  }

  /** Writes the line, or counts it. All counts use the first line's `write`. */
  note(event: string, fields: LogFields, write: Write): void {
    const why = reasonOf(fields);
    const key = why === undefined ? '' : `${event} ${why}`.slice(0, KEY_CHARS_MAX);
    const known = this.#troubles.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.last = fields;
      return;
    }
    write(fields);
    if (why === undefined || this.#troubles.size >= TROUBLES_MAX) return;
    this.#troubles.set(key, { count: 0, last: fields, write });
    this.#watch(key);
  }

  /** Writes the count after each interval, and forgets a line that did not recur in it. */
  #watch(key: string): void {
    this.#later(EVERY_MS, () => {
      const trouble = this.#troubles.get(key);
      if (trouble === undefined || trouble.count === 0) {
        this.#troubles.delete(key);
        return;
      }
      trouble.write({ ...trouble.last, repeated: trouble.count });
      trouble.count = 0;
      this.#watch(key);
    });
  }
}

function reasonOf({ error, reason }: LogFields): string | undefined {
  if (error instanceof Error) return `${error.name} ${error.message}`;
  const why = error ?? reason;
  return typeof why === 'string' ? why : undefined;
}
