/**
 * Standard output and error of tasks: which bytes still have to be sent, and a limit on what is kept. Offsets count
 * from the beginning of each stream, so that the receiver recognizes a repeated piece. Sending is done elsewhere.
 */
import { join } from 'node:path';
import type { Logger } from '../../src/observe/log.ts';
import type { TaskFolder } from '../task/task-folder.ts';
import { openTaskFile, readTaskFile, readTinySync, taskFileFacts, writeTaskFile } from '../task-file.ts';

export type StreamName = 'stdout' | 'stderr';

// limit: bytes kept of each stream of a task; the rest is cut off, and a notice says so.
const STREAM_BYTES_MAX = 16 * 1024 * 1024;
const PIECE_BYTES_MAX = 256 * 1024;
/** Pieces up to this size are read synchronously. */
const TINY_BYTES = 4 * 1024;
/** The number of acknowledged bytes after which the offset is written to disk again. */
const NOTE_BYTES = 1024 * 1024;
const NOTED_BYTES_MAX = 256;

export interface LogPiece {
  readonly executionId: number;
  readonly stream: StreamName;
  readonly offset: number;
  readonly content: Buffer;
}

interface Stream {
  readonly path: string;
  readonly notice: Buffer;
  sent: number;
  acknowledged: number;
  noted: number;
  size: number;
}

interface Followed {
  readonly folder: TaskFolder;
  readonly streams: Readonly<Record<StreamName, Stream>>;
  /** No more output will come. */
  isEnded: boolean;
  readonly onShipped: (() => void)[];
}

export class TaskLogs {
  readonly #log: Logger;
  readonly #followed = new Map<number, Followed>();
  readonly #bytesMax: number;
  /** Called when a task has ended: its last pieces can be sent without waiting for the next check. */
  onEnded: () => void = () => undefined;

  constructor(log: Logger, bytesMax = STREAM_BYTES_MAX) {
    this.#log = log;
    this.#bytesMax = bytesMax;
  }

  /** Starts following the streams of an execution, or continues after a restart. */
  async follow(executionId: number, folder: TaskFolder, isFresh = false): Promise<void> {
    if (this.#followed.has(executionId)) return;
    const noted: Partial<Record<StreamName, number>> = isFresh ? {} : await readNoted(folder);
    const stream = (name: StreamName): Stream => {
      const offset = noted[name] ?? 0;
      const notice = Buffer.from(
        `\n[${name} is longer than ${this.#bytesMax} bytes: the rest was cut off]\n`,
      );
      return { path: folder[name], notice, sent: offset, acknowledged: offset, noted: offset, size: offset };
    };
    const streams = { stdout: stream('stdout'), stderr: stream('stderr') };
    this.#followed.set(executionId, { folder, streams, isEnded: false, onShipped: [] });
  }

  /** The task writes no more. */
  async end(executionId: number): Promise<void> {
    const followed = this.#followed.get(executionId);
    if (followed === undefined) return;
    await this.#measure(followed);
    followed.isEnded = true;
    this.#settle(followed);
    if (!isShipped(followed)) this.onEnded();
  }

  /** All of an ended task's output is acknowledged, or the execution is not followed. */
  isShipped(executionId: number): boolean {
    const followed = this.#followed.get(executionId);
    return followed === undefined || (followed.isEnded && isShipped(followed));
  }

  /** Resolves when `isShipped`. */
  shipped(executionId: number): Promise<void> {
    const followed = this.#followed.get(executionId);
    if (followed === undefined || this.isShipped(executionId)) return Promise.resolve();
    return new Promise((resolve) => followed.onShipped.push(resolve));
  }

  forget(executionId: number): void {
    this.#followed.delete(executionId);
  }

  /** Checks the files of all running tasks, and cuts off what is too long. */
  async look(): Promise<void> {
    for (const followed of [...this.#followed.values()]) if (!followed.isEnded) await this.#measure(followed);
  }

  /** Pieces that have not been sent since the last `rewind`. They count as sent when they are taken. */
  async *unsent(): AsyncIterable<LogPiece> {
    for (const [executionId, { streams }] of [...this.#followed]) {
      for (const name of ['stdout', 'stderr'] as const) {
        const stream = streams[name];
        while (stream.sent < stream.size) {
          const content = await readPiece(stream, this.#bytesMax);
          if (content.length === 0) break;
          const offset = stream.sent;
          stream.sent += content.length;
          yield { executionId, stream: name, offset, content };
        }
      }
    }
  }

  /** The connection was lost: unacknowledged output has to be sent again. */
  rewind(): void {
    for (const { streams } of this.#followed.values()) {
      for (const stream of Object.values(streams)) stream.sent = stream.acknowledged;
    }
  }

  /** Everything before `offset` is stored. */
  acknowledge(executionId: number, name: string, offset: number): void {
    const followed = this.#followed.get(executionId);
    const stream = name === 'stdout' || name === 'stderr' ? followed?.streams[name] : undefined;
    if (followed === undefined || stream === undefined) return;
    stream.acknowledged = Math.max(stream.acknowledged, Math.min(offset, stream.size));
    stream.sent = Math.max(stream.sent, stream.acknowledged);
    if (stream.acknowledged - stream.noted >= NOTE_BYTES) this.#note(followed);
    this.#settle(followed);
  }

  async #measure({ streams }: Followed): Promise<void> {
    for (const stream of Object.values(streams)) {
      const bytes = taskFileFacts(stream.path)?.size ?? 0;
      if (bytes <= this.#bytesMax) stream.size = Math.max(stream.size, bytes);
      else {
        // The task appends, so its next writes go to the new end after the cut.
        await cutOff(stream.path, this.#bytesMax);
        stream.size = this.#bytesMax + stream.notice.length;
      }
    }
  }

  #settle(followed: Followed): void {
    if (!followed.isEnded || !isShipped(followed)) return;
    for (const call of followed.onShipped.splice(0)) call();
  }

  /** Lets a restart continue from here. Best effort: a repeat is recognized by its offset. */
  #note({ folder, streams }: Followed): void {
    const { stdout, stderr } = streams;
    stdout.noted = stdout.acknowledged;
    stderr.noted = stderr.acknowledged;
    const text = JSON.stringify({ stdout: stdout.noted, stderr: stderr.noted });
    writeTaskFile(notedPath(folder), text).catch((error) => {
      this.#log.debug('log offset not noted', { folder: folder.root, error });
    });
  }
}

function isShipped({ streams }: Followed): boolean {
  return Object.values(streams).every(({ acknowledged, size }) => acknowledged >= size);
}

/** The next bytes: of the file, or of the notice about the cut. */
async function readPiece(stream: Stream, bytesMax: number): Promise<Buffer> {
  if (stream.sent >= bytesMax) return stream.notice.subarray(stream.sent - bytesMax);
  const wanted = Math.min(PIECE_BYTES_MAX, Math.min(stream.size, bytesMax) - stream.sent);
  if (wanted <= TINY_BYTES) return readTinySync(stream.path, stream.sent, wanted) ?? Buffer.alloc(0);
  const file = await openTaskFile(stream.path, 'read');
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, stream.sent);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function cutOff(path: string, bytes: number): Promise<void> {
  const file = await openTaskFile(path, 'change');
  await file?.truncate(bytes).finally(() => file.close()); // no file: removed meanwhile
}

function notedPath(folder: TaskFolder): string {
  return join(folder.root, 'log-offsets.json');
}

async function readNoted(folder: TaskFolder): Promise<Partial<Record<StreamName, number>>> {
  try {
    return JSON.parse(await readTaskFile(notedPath(folder), NOTED_BYTES_MAX)) as Record<StreamName, number>;
  } catch {
    return {}; // never written, or lost in a crash: everything is sent again
  }
}
