/**
 * Signals of the terminal and of process supervisors, as two abort signals: the first asks to drain, the second (or a
 * drain that takes too long) stops at once. If the program still does not end, the process exits.
 */
import type { EventEmitter } from 'node:events';

export interface StoppingOptions {
  readonly process: Pick<EventEmitter, 'on' | 'off'>;
  readonly drainMs: number;
  /** Ends this process at once. */
  readonly exit: (code: number) => void;
  readonly onSignal: (name: string, isForced: boolean) => void;
}

export interface Stopping {
  readonly draining: AbortSignal;
  readonly forced: AbortSignal;
  /** Removes the signal handlers. */
  dispose(): void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A launcher in the same process group passes on a Ctrl-C that the terminal has also sent to this process. */
const REPEAT_MS = 250;
const FORCED_GRACE_MS = 5_000;

export function watchSignals(options: StoppingOptions): Stopping {
  const draining = new AbortController();
  const forced = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let firstAt = 0;
  const later = (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms);
    timer.unref();
    timers.push(timer);
  };
  const force = (code: number) => {
    forced.abort();
    later(FORCED_GRACE_MS, () => options.exit(code));
  };
  const receive = (name: keyof typeof CODES) => {
    const code = CODES[name];
    if (!draining.signal.aborted) {
      firstAt = performance.now();
      options.onSignal(name, false);
      draining.abort();
      later(options.drainMs, () => force(code));
    } else if (forced.signal.aborted) options.exit(code);
    else if (performance.now() - firstAt > REPEAT_MS) {
      options.onSignal(name, true);
      force(code);
    }
  };
  const listeners = (Object.keys(CODES) as (keyof typeof CODES)[]).map((name) => ({
    name,
    call: () => receive(name),
  }));
  for (const { name, call } of listeners) options.process.on(name, call);
  return {
    draining: draining.signal,
    forced: forced.signal,
    dispose() {
      for (const { name, call } of listeners) options.process.off(name, call);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
