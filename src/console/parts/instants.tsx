/** Instants and durations on pages, which change with the clock. */
import { useSyncExternalStore } from 'react';
import { ago, duration, instant, instantInFull, minuteOrInstant } from '../format/times.ts';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();

// All instants of a page share one timer.
setInterval(() => {
  if (document.hidden) return;
  nowMs = Date.now();
  for (const listener of listeners) listener();
}, TICK_MS);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useNowMs(): number {
  return useSyncExternalStore(listen, () => nowMs);
}

export function Instant({ at }: { readonly at: string | null | undefined }) {
  const now = useNowMs();
  if (at === null || at === undefined) return <span className="soft">–</span>;
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={instantInFull(atMs)}>
      {instant(atMs, now)}
    </time>
  );
}

/** Without seconds where it is a whole minute. */
export function MinuteOrInstant({ at }: { readonly at: string }) {
  const now = useNowMs();
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={instantInFull(atMs)}>
      {minuteOrInstant(atMs, now)}
    </time>
  );
}

export function Ago({ at }: { readonly at: string | null | undefined }) {
  const now = useNowMs();
  if (at === null || at === undefined) return <span className="soft">–</span>;
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={instantInFull(atMs)}>
      {ago(atMs, now)}
    </time>
  );
}

/** The duration from one instant to another, or to now while `to` is null. */
export function Elapsed({ from, to }: { readonly from: string | null; readonly to: string | null }) {
  const now = useNowMs();
  if (from === null) return <span className="soft">–</span>;
  const endMs = to === null ? now : Date.parse(to);
  return <span>{duration(Math.max(0, endMs - Date.parse(from)))}</span>;
}
