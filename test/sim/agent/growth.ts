/** Files of a directory that bear the suffix of their transfer: told of while they grow, and when they vanish. */
import type { SeenFile } from '../../../src/domain/node/agent-messages.ts';
import { isHidden } from '../../../src/storage/file-name.ts';
import { identityOf, type StoredFile } from '../disks.ts';

/** Most are complete by then. */
const REPORT_AFTER_MS = 500;
/** What vanished may come back under its final name. */
const GONE_AFTER_MS = 1_000;

interface Growing {
  readonly sinceMs: number;
  seen: SeenFile;
  /** -1: nothing was told of it. */
  sentSize: number;
  missingSinceMs: number | undefined;
}

export class Growth {
  readonly #suffix: string;
  readonly #growing = new Map<string, Growing>();

  constructor(suffix: string) {
    this.#suffix = suffix;
  }

  covers(name: string): boolean {
    return this.#suffix !== '' && name.length > this.#suffix.length && name.endsWith(this.#suffix);
  }

  /** What is to be told now, and how long until there may be more. */
  look(files: ReadonlyMap<string, StoredFile>, nowMs: number): { told: SeenFile[]; nextInMs: number } {
    for (const [name, file] of files) if (this.covers(name)) this.#observe(name, file, nowMs);
    const told: SeenFile[] = [];
    let nextInMs = Number.POSITIVE_INFINITY;
    for (const [name, one] of this.#growing) {
      if (!files.has(name)) one.missingSinceMs ??= nowMs;
      const { sinceMs, missingSinceMs, seen } = one;
      const inMs = missingSinceMs === undefined ? sinceMs + REPORT_AFTER_MS : missingSinceMs + GONE_AFTER_MS;
      if (inMs > nowMs) nextInMs = Math.min(nextInMs, inMs - nowMs);
      else if (missingSinceMs === undefined) told.push(...this.#growth(one));
      else if (one.sentSize < 0 || files.has(seen.path)) this.#growing.delete(name);
      else told.push({ ...seen, arrival: 'gone' });
    }
    return { told, nextInMs };
  }

  /** It is known that it is gone. */
  acknowledged({ path, arrival }: SeenFile): void {
    if (arrival === 'gone') this.#growing.delete(`${path}${this.#suffix}`);
  }

  #observe(name: string, file: StoredFile, nowMs: number): void {
    if (isHidden(name) || name.includes('/')) return;
    const { size, mtimeMs } = file;
    const path = name.slice(0, -this.#suffix.length);
    const times = { mtimeMs, firstSeenMs: mtimeMs };
    const seen: SeenFile = { path, arrival: 'transferring', size, identity: identityOf(file), ...times };
    const known = this.#growing.get(name);
    if (known === undefined) {
      this.#growing.set(name, { sinceMs: nowMs, seen, sentSize: -1, missingSinceMs: undefined });
      return;
    }
    known.seen = seen;
    known.missingSinceMs = undefined;
  }

  #growth(one: Growing): SeenFile[] {
    if (one.sentSize === one.seen.size) return [];
    one.sentSize = one.seen.size;
    return [one.seen];
  }
}
