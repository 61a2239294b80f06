/** For tests of many at once: performs many ingests side by side, few at a time; each can be cancelled alone. */
import { type IngestPorts, performIngest } from '../../../node-agent/ingest/ingest-file.ts';
import type { IngestItem, IngestResult } from '../../../node-agent/ingest/ingest-item.ts';

export interface GroupOptions {
  /** How many run at the same time, at least 1. */
  readonly concurrency: number;
  /** An ingest could not be recorded or finished, and has to be performed again. */
  onUnfinished(item: IngestItem, error: unknown): void;
  onResult?(item: IngestItem, result: IngestResult): void;
}

export interface IngestGroup {
  /**
   * Stops one ingest before its content has a final name; later it changes nothing. False when it is not (any
   * more) here.
   */
  cancel(ingestId: number): boolean;
  /** Resolves when every ingest has ended, in whatever way. Never rejects. */
  readonly done: Promise<void>;
}

/** Starts at once. The group is as long as the list: whoever makes lists bounds them. */
export function runIngests(
  items: readonly IngestItem[],
  ports: IngestPorts,
  options: GroupOptions,
): IngestGroup {
  const aborts = new Map(items.map((item) => [item.ingestId, new AbortController()]));
  const waiting = items.values();

  const work = async (): Promise<void> => {
    for (const item of waiting) {
      try {
        const result = await performIngest(item, ports, aborts.get(item.ingestId)?.signal);
        options.onResult?.(item, result);
      } catch (error) {
        options.onUnfinished(item, error);
      }
      aborts.delete(item.ingestId);
    }
  };

  const workers = Array.from({ length: Math.max(1, Math.min(options.concurrency, items.length)) }, work);
  const cancel = (ingestId: number): boolean => {
    const abort = aborts.get(ingestId);
    abort?.abort(new Error('the ingest was canceled'));
    return abort !== undefined;
  };
  return { cancel, done: Promise.all(workers).then(() => undefined) };
}
