/**
 * Reads a backup: its header, then its tables, with bounded memory whatever the file contains. Reading to the end
 * verifies it: lengths, counts, and the checksum of the whole. A reader may begin again from the first table.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import {
  type BackupHeader,
  type BackupTable,
  CHUNK_BYTES,
  FRAME,
  FRAME_HEAD_BYTES,
  HEADER_BYTES_MAX,
  MAGIC,
  PAYLOAD_BYTES_MAX,
  readEnd,
  readHeader,
  unusable,
} from './format.ts';

const decompress = promisify(zstdDecompress);

/** Receives the tables of a backup, in their order. */
export interface TableReceiver {
  begin(table: BackupTable): Promise<void>;
  rows(chunk: Buffer): Promise<void>;
  /** With the number of rows that the backup says it has. */
  end(table: BackupTable, rows: number): Promise<void>;
}

export class BackupReader {
  readonly header: BackupHeader;
  readonly bytes: number;
  readonly #handle: FileHandle;
  readonly #bodyAt: number;

  private constructor(handle: FileHandle, header: BackupHeader, bodyAt: number, bytes: number) {
    this.#handle = handle;
    this.header = header;
    this.#bodyAt = bodyAt;
    this.bytes = bytes;
  }

  /** The caller closes it. Throws AppError INVALID_REQUEST if the file is no backup, or of a newer format. */
  static async open(path: string): Promise<BackupReader> {
    const handle = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'there is no such file, ENOENT' : cause.code;
      throw unusable(`${path} cannot be read (${why})`, cause);
    });
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw unusable(`${path} is no file`);
      const begin = Buffer.alloc(Math.min(stat.size, MAGIC.length + HEADER_BYTES_MAX));
      await readFully(handle, begin, 0);
      const first = begin.subarray(0, MAGIC.length).toString('latin1');
      if (first !== MAGIC) {
        const isNewer = first.startsWith('millrace-backup ');
        throw unusable(
          isNewer ? 'a newer program has written it: restore it with that version' : `${path} is no backup`,
        );
      }
      const end = begin.indexOf('\n', MAGIC.length);
      if (end < 0) throw unusable('its header is cut or too long');
      const header = readHeader(begin.subarray(MAGIC.length, end).toString('utf8'));
      return new BackupReader(handle, header, end + 1, stat.size);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Reads all tables from the first one on. Throws AppError INVALID_REQUEST at the first thing that is wrong. */
  async read(receiver: TableReceiver, onBytes: (bytes: number) => void = () => undefined): Promise<void> {
    const hash = createHash('sha256');
    await this.#hashBegin(hash);
    const { tables } = this.header;
    let [at, table, rows] = [this.#bodyAt, 0, 0];
    let isOpen = false;
    for (;;) {
      const frame = await this.#frame(at);
      const current = tables[table];
      if (frame.kind === FRAME.end) {
        const end = readEnd(frame.payload);
        const isWhole = !isOpen && table === tables.length && end.tables === table && end.rows === rows;
        if (!isWhole) throw unusable('its end record does not fit its tables');
        if (at + frame.bytes !== this.bytes) throw unusable('something follows its end');
        if (hash.digest('hex') !== end.sha256)
          throw unusable('its checksum is wrong: it was changed or damaged');
        return;
      }
      if (current === undefined) throw unusable('it has more tables than its header names');
      if (!isOpen) await receiver.begin(current);
      isOpen = frame.kind === FRAME.data;
      if (isOpen) await receiver.rows(await inflated(frame.payload));
      else {
        const count = rowsOf(frame.payload);
        await receiver.end(current, count);
        rows += count;
        table += 1;
      }
      hash.update(frame.head).update(frame.payload);
      at += frame.bytes;
      onBytes(at);
    }
  }

  async #hashBegin(hash: Hash): Promise<void> {
    const begin = Buffer.alloc(this.#bodyAt);
    await readFully(this.#handle, begin, 0);
    hash.update(begin);
  }

  async #frame(at: number) {
    const head = Buffer.alloc(FRAME_HEAD_BYTES);
    await readFully(this.#handle, head, at);
    const kind = head.readUInt8(0);
    const length = head.readUInt32BE(1);
    const isKnown = kind === FRAME.data || kind === FRAME.table || kind === FRAME.end;
    if (!isKnown || length > PAYLOAD_BYTES_MAX) throw unusable(`it is damaged at byte ${at}`);
    const payload = Buffer.alloc(length);
    await readFully(this.#handle, payload, at + FRAME_HEAD_BYTES);
    return { kind, head, payload, bytes: FRAME_HEAD_BYTES + length };
  }
}

async function readFully(handle: FileHandle, into: Buffer, from: number): Promise<void> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await handle
      .read(into, done, into.length - done, from + done)
      .catch((cause: NodeJS.ErrnoException) => {
        throw unusable(`it cannot be read (${cause.code})`, cause);
      });
    if (bytesRead === 0) throw unusable('it is cut: its end is missing');
    done += bytesRead;
  }
}

async function inflated(payload: Buffer): Promise<Buffer> {
  try {
    return await decompress(payload, { maxOutputLength: CHUNK_BYTES });
  } catch (error) {
    throw unusable('its rows are damaged', error);
  }
}

function rowsOf(payload: Buffer): number {
  const rows = payload.length === 8 ? Number(payload.readBigUInt64BE()) : Number.NaN;
  if (!Number.isSafeInteger(rows)) throw unusable('the count of a table is damaged');
  return rows;
}
