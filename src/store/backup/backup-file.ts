/**
 * A backup being written: into a file beside the final one, readable by its owner only, which is synced and renamed
 * when it is complete. Whatever happens before leaves nothing under the final name.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { AppError } from '../../domain/errors.ts';
import { isDiskFull } from '../../lib/disk-space.ts';
import {
  type BackupEnd,
  type BackupHeader,
  CHUNK_BYTES,
  FRAME,
  frameHead,
  HEADER_BYTES_MAX,
  MAGIC,
} from './format.ts';

const compress = promisify(zstdCompress);
/** The fastest level: it is not what a backup waits for, and the next two make the file 3% smaller. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** limit: chunks that are compressed at once, on the threads of the runtime. */
const AHEAD = 3;

export class BackupFile {
  readonly path: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The frames whose payloads are being compressed, in order. */
  readonly #frames: Promise<Buffer>[] = [];
  #bytes = 0;
  #tables = 0;
  #rows = 0;

  private constructor(path: string, partial: string, handle: FileHandle) {
    this.path = path;
    this.#partial = partial;
    this.#handle = handle;
  }

  /**
   * Throws AppError CONFLICT if something else than a backup has the name, INVALID_REQUEST if nothing can be written.
   */
  static async create(path: string): Promise<BackupFile> {
    await refuseOthers(path);
    await removeLeftovers(path);
    const partial = `${path}.${process.pid}.partial`;
    const handle = await open(partial, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
      throw new AppError('INVALID_REQUEST', `${partial} cannot be written: ${cause.code}`, {}, { cause });
    });
    return new BackupFile(path, partial, handle);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async header(header: BackupHeader): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(header)}\n`);
    if (line.length > HEADER_BYTES_MAX)
      throw new AppError('TOO_LARGE', 'the header of the backup is too large');
    await this.#write(Buffer.concat([Buffer.from(MAGIC), line]));
  }

  /** Rows of the current table, cut anywhere. */
  async rows(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + CHUNK_BYTES - this.#pendingBytes);
      this.#pending.push(part);
      this.#pendingBytes += part.length;
      at += part.length;
      if (this.#pendingBytes === CHUNK_BYTES) await this.#cut();
    }
  }

  async endTable(rows: number): Promise<void> {
    if (this.#pendingBytes > 0) await this.#cut();
    await this.#drain(0);
    const count = Buffer.alloc(8);
    count.writeBigUInt64BE(BigInt(rows));
    await this.#write(Buffer.concat([frameHead(FRAME.table, count.length), count]));
    this.#tables += 1;
    this.#rows += rows;
  }

  /** Completes the file and gives it its name. */
  async finish(): Promise<BackupEnd> {
    const end = { tables: this.#tables, rows: this.#rows, sha256: this.#hash.copy().digest('hex') };
    const payload = Buffer.from(JSON.stringify(end));
    await this.#write(Buffer.concat([frameHead(FRAME.end, payload.length), payload]));
    await this.#storing(async () => {
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#partial, this.path);
      const folder = await open(dirname(this.path), 'r');
      await folder.sync().finally(() => folder.close());
    });
    return end;
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.#frames);
    await this.#handle.close().catch(() => undefined);
    await unlink(this.#partial).catch(() => undefined);
  }

  async #cut(): Promise<void> {
    const chunk = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    const frame = compress(chunk, LEVEL).then((payload) =>
      Buffer.concat([frameHead(FRAME.data, payload.length), payload]),
    );
    frame.catch(() => undefined); // thrown where it is written
    this.#frames.push(frame);
    await this.#drain(AHEAD);
  }

  async #drain(left: number): Promise<void> {
    while (this.#frames.length > left) {
      const frame = await this.#frames[0];
      this.#frames.shift();
      if (frame !== undefined) await this.#write(frame);
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#storing(async () => {
      for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    });
  }

  /** Marks a failure of the disk as such, because errors of the database have the same codes. */
  async #storing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      const folder = dirname(this.path);
      if (isDiskFull(cause)) {
        throw new AppError('NO_ROOM', `the disk of ${folder} is full: no backup was written`, {}, { cause });
      }
      const { code } = cause as NodeJS.ErrnoException;
      const text = `${this.#partial} cannot be written (${code}): no backup was written`;
      throw new AppError('FILESYSTEM_IO', text, {}, { cause });
    }
  }
}

/** An earlier backup may be replaced. Other files are not, because the path may be mistyped. */
async function refuseOthers(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new AppError('INVALID_REQUEST', `${path} cannot be read: ${error.code}`, {}, { cause: error });
  });
  if (handle === undefined) return;
  try {
    const isFile = (await handle.stat()).isFile();
    const begin = Buffer.alloc(MAGIC.length);
    if (isFile) await handle.read(begin, 0, begin.length, 0);
    if (isFile && begin.toString('latin1') === MAGIC) return;
    throw new AppError('CONFLICT', `${path} exists and is no backup: it is not replaced`);
  } finally {
    await handle.close();
  }
}

/** Removes the partial files of killed backups to this path. */
async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch((cause: NodeJS.ErrnoException) => {
    throw new AppError('INVALID_REQUEST', `${dirname(path)} cannot be read: ${cause.code}`, {}, { cause });
  });
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const pid = /^(\d+)\.partial$/.exec(name.slice(prefix.length))?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) {
      await unlink(join(dirname(path), name)).catch(() => undefined);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
