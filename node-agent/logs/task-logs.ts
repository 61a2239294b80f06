/**
 * The standard output and error of tasks: which bytes still have to be sent, and how many are kept. Offsets count from
 * the beginning of each stream, so that the receiver recognizes a repeated piece. `log-shipper.ts` sends them.
 */
import { join } from 'node:path';
import type { LogCut } from '../../src/domain/task/task-result.ts';
import type { Logger } from '../../src/observe/log.ts';
import type { TaskIdentity } from '../executor/executor.ts';
import type { TaskFolder } from '../task/task-folder.ts';
import { openTaskFile, readTaskFile, readTinySync, taskFileFacts, writeTaskFile } from '../task-file.ts';

export type StreamName = 'stdout' | 'stderr';

const PIECE_BYTES_MAX = 256 * 1024;
/** Pieces up to this size are read synchronously. */
const TINY_BYTES = 4 * 1024;
/** The number of acknowledged bytes after which the offset is written to disk again. */
const NOTE_BYTES = 1024 * 1024;
const NOTED_BYTES_MAX = 256;
/**
 * limit: bytes above those that are kept, to which a stream may grow while its task runs. What a task writes while its
 * stream is being cut off is not counted, so that is left to the end where it can be.
 */
const OVERHANG_BYTES_MAX = 16 * 1024 * 1024;

const CUT = { stdout: 'stdoutCut', stderr: 'stderrCut' } as const;
/** The state on disk for a restart: acknowledged offsets, and bytes that were cut off. */
type Noted = Partial<Record<StreamName | (typeof CUT)[StreamName], number>>;

const NOTHING_CUT: LogCut = { stdout: 0, stderr: 0 };

type LoggedTask = Pick<TaskIdentity, 'executionId' | 'folder' | 'logBytesMax'>;

export interface LogPiece {
  readonly executionId: number;
  readonly stream: StreamName;
  readonly offset: number;
  readonly content: Buffer;
}

interface Stream {
  readonly name: StreamName;
  readonly path: string;
  /** limit: bytes that are kept; the rest is cut off. */
  readonly bytesMax: number;
  /** The text that is sent after the kept bytes if something was cut off. */
  notice: Buffer;
  cut: number;
  sent: number;
  acknowledged: number;
  noted: number;
  size: number;
}

interface Followed {
  readonly folder: TaskFolder;
  /** The last measurement of the files; never rejects. */
  looked: Promise<void>;
  readonly streams: Readonly<Record<StreamName, Stream>>;
  /** The task has ended and writes no more. */
  isEnded: boolean;
  readonly onShipped: (() => void)[];
}

export class TaskLogs {
  readonly #log: Logger;
  readonly #followed = new Map<number, Followed>();
  /** Called when a task has ended: its last pieces can be sent without waiting for the next check. */
  onEnded: () => void = () => undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts following the streams of an execution, or continues after a restart. */
  async follow({ executionId, folder, logBytesMax }: LoggedTask, isFresh = false): Promise<void> {
    if (this.#followed.has(executionId)) return;
    const noted: Noted = isFresh ? {} : await readNoted(folder);
    const stream = (name: StreamName): Stream => {
      const { [name]: offset = 0, [CUT[name]]: cut = 0 } = noted;
      const notice = Buffer.from(`\n[${name} is longer than ${logBytesMax} bytes: the rest was cut off]\n`);
      const size = cut > 0 ? logBytesMax + notice.length : offset;
      const place = { name, path: folder[name], bytesMax: logBytesMax, notice };
      return { ...place, cut, sent: offset, acknowledged: offset, noted: offset, size };
    };
    const streams = { stdout: stream('stdout'), stderr: stream('stderr') };
    const looked = Promise.resolve();
    this.#followed.set(executionId, { folder, looked, streams, isEnded: false, onShipped: [] });
  }

  /**
   * Called when the task has ended. `leftOut`: bytes that its executor did not write to the files. Resolves with the
   * bytes of each stream that were cut off, or with undefined if none were.
   */
  async end(executionId: number, leftOut: LogCut = NOTHING_CUT): Promise<LogCut | undefined> {
    const followed = this.#followed.get(executionId);
    if (followed === undefined) return undefined;
    await this.#measure(followed, 0);
    for (const stream of Object.values(followed.streams)) {
      const { name, bytesMax } = stream;
      stream.cut += leftOut[name];
      if (stream.cut === 0) continue;
      const line = Buffer.from(`[${stream.cut} bytes of ${name} were cut off]\n`);
      stream.notice = Buffer.concat([stream.notice, line]);
      stream.size = bytesMax + stream.notice.length;
    }
    followed.isEnded = true;
    this.#settle(followed);
    if (!isShipped(followed)) this.onEnded();
    const [stdout, stderr] = [followed.streams.stdout.cut, followed.streams.stderr.cut];
    if (stdout + stderr === 0) return undefined;
    this.#note(followed);
    return { stdout, stderr };
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
    for (const followed of [...this.#followed.values()]) {
      if (!followed.isEnded) await this.#measure(followed, OVERHANG_BYTES_MAX);
    }
  }

  /** Pieces that have not been sent since the last `rewind`. A piece counts as sent when it is read from here. */
  async *unsent(): AsyncIterable<LogPiece> {
    for (const [executionId, { streams }] of [...this.#followed]) {
      for (const name of ['stdout', 'stderr'] as const) {
        const stream = streams[name];
        while (stream.sent < stream.size) {
          const content = await readPiece(stream);
          if (content.length === 0) break;
          const offset = stream.sent;
          stream.sent += content.length;
          yield { executionId, stream: name, offset, content };
        }
      }
    }
  }

  /** Starts again at the acknowledged offsets, because the connection was lost. */
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

  /**
   * `overhangMax`: bytes that a stream may have above its limit without being cut off. Measurements of the same files
   * run one after another, because two at once would count the same bytes.
   */
  #measure(followed: Followed, overhangMax: number): Promise<void> {
    const look = followed.looked.then(() => this.#measureNow(followed, overhangMax));
    followed.looked = look.catch(() => undefined);
    return look;
  }

  async #measureNow(followed: Followed, overhangMax: number): Promise<void> {
    for (const stream of Object.values(followed.streams)) {
      const { path, bytesMax, notice } = stream;
      const bytes = taskFileFacts(path)?.size ?? 0;
      stream.size = Math.max(stream.size, bytes > bytesMax ? bytesMax + notice.length : bytes);
      if (bytes - bytesMax <= overhangMax) continue;
      stream.cut += await cutOff(path, bytesMax);
      this.#note(followed);
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
    const offsets = { stdout: stdout.noted, stderr: stderr.noted };
    const text = JSON.stringify({ ...offsets, [CUT.stdout]: stdout.cut, [CUT.stderr]: stderr.cut });
    writeTaskFile(notedPath(folder), text).catch((error) => {
      this.#log.debug('log_offset_not_noted', { folder: folder.root, error });
    });
  }
}

function isShipped({ streams }: Followed): boolean {
  return Object.values(streams).every(({ acknowledged, size }) => acknowledged >= size);
}

/** The next bytes: of the file, or of the notice about the cut. */
async function readPiece(stream: Stream): Promise<Buffer> {
  const { bytesMax } = stream;
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

/** Returns how many bytes were cut off. The task appends, so its next writes go to the new end. */
async function cutOff(path: string, bytes: number): Promise<number> {
  const file = await openTaskFile(path, 'change');
  if (file === undefined) return 0; // removed meanwhile
  try {
    const { size } = await file.stat();
    await file.truncate(bytes);
    return Math.max(0, size - bytes);
  } finally {
    await file.close();
  }
}

function notedPath(folder: TaskFolder): string {
  return join(folder.root, 'log-offsets.json');
}

async function readNoted(folder: TaskFolder): Promise<Noted> {
  try {
    return JSON.parse(await readTaskFile(notedPath(folder), NOTED_BYTES_MAX)) as Noted;
  } catch {
    return {}; // never written, or lost in a crash: everything is sent again
  }
}
