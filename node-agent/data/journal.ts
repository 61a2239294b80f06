/**
 * An append-only file of keyed records that survives kill -9 and, where they were synced, power loss. It holds the work
 * that the agent has accepted, and its unacknowledged reports. Many appends share one sync. The journal does not
 * interpret its records.
 *
 * A line is a CRC, a blank and a JSON record `{n, k, v}`; a record without `v` removes the key. A line that does not
 * match its CRC is skipped, an incomplete last line is cut off. The file is rewritten when most of its records are
 * obsolete.
 *
 * Little is written synchronously on a local disk: the kernel copies it to its memory, in less time than a thread takes
 * to be woken. A sync waits for the disk, so it is a thread's.
 */
import { constants, writeSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../src/observe/log.ts';
import { isLocalDirectory } from '../../src/storage/recent-file.ts';
import { type Clock, pause } from '../clock.ts';

const REWRITE_BYTES_MIN = 1024 * 1024;
const REWRITE_FACTOR = 4;
const RETRY_MS = 1_000;
/** Up to this size, bytes are written synchronously. */
const LITTLE_BYTES = 64 * 1024;
/** If such a write took that long, threads write for a while: the kernel waits for the disk. */
const SLOW_MS = 100;
const SLOW_PAUSE_MS = 30_000;

export interface JournalOptions {
  readonly path: string;
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Called with the reason why records cannot be written, and with undefined when they can again. Appends wait
   * meanwhile.
   */
  readonly onTrouble?: (reason: string | undefined) => void;
}

interface Live {
  readonly value: unknown;
  readonly bytes: number;
}

interface Waiting {
  readonly line: string;
  /** Whether it has to survive a power loss. Otherwise it only has to survive a kill of the process. */
  readonly isSynced: boolean;
  /** Called when the record has this durability. */
  readonly done?: () => void;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #live = new Map<string, Live>();
  #file: FileHandle;
  #fileBytes = 0;
  #liveBytes = 0;
  #sequence = 0;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #closing = false;
  /** Whether something was written since the last sync. */
  #isUnsynced = false;
  /** Whether records may be missing in the file although they were written, so that it has to be rewritten. */
  #isIncomplete = false;

  readonly #isLocal: boolean;
  /** `Clock.bootMs` until which threads write. */
  #threadsUntilMs = 0;

  private constructor(options: JournalOptions, file: FileHandle, isLocal: boolean) {
    this.#options = options;
    this.#file = file;
    this.#isLocal = isLocal;
  }

  /** Opens or creates the file and reads its live records. */
  static async open(options: JournalOptions): Promise<Journal> {
    const file = await open(options.path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const journal = new Journal(options, file, await isLocalDirectory(dirname(options.path)));
    await journal.#replay();
    await syncDirectory(dirname(options.path));
    return journal;
  }

  /** Records that were appended and not removed, oldest first. */
  *entries(prefix: string): Iterable<readonly [string, unknown]> {
    for (const [key, { value }] of this.#live) if (key.startsWith(prefix)) yield [key, value];
  }

  get size(): number {
    return this.#live.size;
  }

  /** A number larger than any earlier one, across restarts, once something is appended after it. */
  nextNumber(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Resolves when the record is durable. If writing fails, it is tried again until it succeeds. */
  append(key: string, value: unknown): Promise<void> {
    const line = this.#remembered(key, value);
    return new Promise((done) => this.#enqueue({ line, isSynced: true, done }));
  }

  /**
   * Resolves when the record is written: it survives a kill of the process, because the kernel keeps written data, but
   * perhaps not a power loss. If writing fails, it is tried again until it succeeds.
   */
  write(key: string, value: unknown): Promise<void> {
    const line = this.#remembered(key, value);
    return new Promise((done) => this.#enqueue({ line, isSynced: false, done }));
  }

  /** Resolves when everything that was appended, written, noted or forgotten before is durable. */
  sync(): Promise<void> {
    return new Promise((done) => this.#enqueue({ line: '', isSynced: true, done }));
  }

  /**
   * Writes the record at once; the next append syncs it. So it survives a kill of the process, but perhaps not a power
   * loss. For records that are sent again if they are missing.
   */
  note(key: string, value: unknown): void {
    this.#enqueue({ line: this.#remembered(key, value), isSynced: false });
  }

  /**
   * Removes the record: writes at once, and the next append syncs it. If a power loss undoes the removal, the record is
   * found again, which is harmless. The removal is written without waiting for an append, because otherwise a killed
   * agent would repeat reports that were acknowledged long ago.
   */
  forget(key: string): void {
    const known = this.#live.get(key);
    if (known === undefined) return;
    this.#live.delete(key);
    this.#liveBytes -= known.bytes;
    this.#enqueue({ line: this.#line({ n: this.#sequence, k: key }), isSynced: false });
  }

  /** Writes waiting records and closes the file. Records that cannot be written are given up. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#flushing;
    // The next start reads what was written, synced or not.
    if (this.#isUnsynced) await this.#file.datasync().catch(() => undefined);
    await this.#file.close();
  }

  #line(record: object): string {
    const json = JSON.stringify(record);
    return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
  }

  #remembered(key: string, value: unknown): string {
    const line = this.#line({ n: this.#sequence, k: key, v: value });
    this.#remember(key, value, line.length);
    return line;
  }

  #remember(key: string, value: unknown, bytes: number): void {
    this.#liveBytes += bytes - (this.#live.get(key)?.bytes ?? 0);
    this.#live.delete(key);
    this.#live.set(key, { value, bytes });
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // One turn of the event loop gathers further appends of this turn; the sync itself gathers the rest.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      if (!(await this.#write(batch))) break;
      for (const { isSynced, done } of batch) if (isSynced) done?.();
      const isLarge =
        this.#fileBytes > REWRITE_BYTES_MIN && this.#fileBytes > this.#liveBytes * REWRITE_FACTOR;
      if (isLarge || this.#isIncomplete) await this.#rewrite();
    }
    this.#flushing = undefined; // in the turn in which no record waits, so that a later append starts again
  }

  /**
   * Tries until the batch is written, and durable as far as it has to be. Those that need no sync do not wait for it.
   * Resolves with false if the journal closes before that.
   */
  async #write(batch: readonly Waiting[]): Promise<boolean> {
    const bytes = Buffer.from(batch.map(({ line }) => line).join(''));
    const isSynced = batch.some((one) => one.isSynced);
    for (let troubled = false; ; troubled = true) {
      try {
        if (!this.#hasWritten(bytes)) await writeAll(this.#file, bytes, this.#fileBytes);
        this.#isUnsynced = true;
        for (const one of batch) if (!one.isSynced) one.done?.();
        if (isSynced) await this.#datasync();
        this.#fileBytes += bytes.length;
        if (troubled) this.#options.onTrouble?.(undefined);
        return true;
      } catch (error) {
        if (this.#closing) return false;
        if (!troubled) {
          this.#options.log.error('journal_not_written', { path: this.#options.path, error });
          this.#options.onTrouble?.(error instanceof Error ? error.message : String(error));
        }
        await pause(this.#options.clock, RETRY_MS);
      }
    }
  }

  /** Writes synchronously. False: it is not little, or the disk is slow. Throws if the disk refuses it. */
  #hasWritten(bytes: Buffer): boolean {
    const { clock } = this.#options;
    const startedMs = clock.bootMs();
    if (!this.#isLocal || bytes.length > LITTLE_BYTES || startedMs < this.#threadsUntilMs) return false;
    const { fd } = this.#file;
    for (let done = 0; done < bytes.length; )
      done += writeSync(fd, bytes, done, bytes.length - done, this.#fileBytes + done);
    const endedMs = clock.bootMs();
    if (endedMs - startedMs > SLOW_MS) this.#threadsUntilMs = endedMs + SLOW_PAUSE_MS;
    return true;
  }

  /** After a failure the kernel may have dropped what was written since the last sync. */
  async #datasync(): Promise<void> {
    try {
      await this.#file.datasync();
    } catch (error) {
      this.#isIncomplete = true;
      throw error;
    }
    this.#isUnsynced = false;
  }

  /** Writes the live records to a new file that replaces this one. After a failure the old file stays in use. */
  async #rewrite(): Promise<void> {
    const temporary = `${this.#options.path}.new`;
    try {
      const lines = [this.#line({ n: this.#sequence })];
      // Waiting records are live here already; their own lines follow, and a repeat changes nothing.
      for (const [k, { value }] of this.#live) lines.push(this.#line({ n: this.#sequence, k, v: value }));
      const bytes = Buffer.from(lines.join(''));
      const file = await open(temporary, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
      try {
        await writeAll(file, bytes, 0);
        await file.datasync();
        await rename(temporary, this.#options.path);
        await syncDirectory(dirname(this.#options.path));
      } catch (error) {
        await file.close();
        throw error;
      }
      await this.#file.close();
      this.#file = file;
      this.#fileBytes = bytes.length;
      this.#isUnsynced = false;
      this.#isIncomplete = false;
    } catch (error) {
      this.#options.log.warn('journal_not_rewritten', { path: this.#options.path, error });
      await unlink(temporary).catch(() => undefined); // it may not exist
    }
  }

  async #replay(): Promise<void> {
    const text = await readFile(this.#options.path, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    let skipped = 0;
    for (const line of text.slice(0, end).split('\n')) {
      if (line === '') continue;
      const record = readLine(line);
      if (record === undefined) {
        skipped += 1;
        continue;
      }
      this.#sequence = Math.max(this.#sequence, record.n);
      if (record.k === undefined) continue;
      if ('v' in record) this.#remember(record.k, record.v, line.length + 1);
      else {
        this.#liveBytes -= this.#live.get(record.k)?.bytes ?? 0;
        this.#live.delete(record.k);
      }
    }
    this.#fileBytes = Buffer.byteLength(text.slice(0, end));
    const cut = text.length - end;
    if (cut > 0) await this.#file.truncate(this.#fileBytes);
    if (cut > 0 || skipped > 0) {
      this.#options.log.warn('journal_damaged', { path: this.#options.path, skipped, cut });
    }
  }
}

interface JournalRecord {
  readonly n: number;
  readonly k?: string;
  readonly v?: unknown;
}

function readLine(line: string): JournalRecord | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || crc32(json).toString(16).padStart(8, '0') !== line.slice(0, 8)) return undefined;
  return JSON.parse(json) as JournalRecord;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
