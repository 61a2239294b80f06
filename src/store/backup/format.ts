/**
 * The file of a backup (docs/backup.md): a line that names the format, the header as one line of JSON, then frames. A
 * frame is its kind (1 byte), the length of its payload (4 bytes, big-endian) and the payload:
 *
 *   DATA   rows of the current table as COPY text, up to 1 MiB, compressed with Zstandard
 *   TABLE  the current table is complete: its number of rows (8 bytes); the next one of the header follows
 *   END    JSON: totals, and the SHA-256 of every byte before this frame; nothing follows
 */
import { AppError } from '../../domain/errors.ts';
import type { LockedKeys } from './key-box.ts';

export const MAGIC = 'millrace-backup 1\n';
/** limit: bytes of the header's line. */
export const HEADER_BYTES_MAX = 1024 * 1024;
/** limit: bytes of one frame's rows. */
export const CHUNK_BYTES = 1024 * 1024;
/** limit: bytes of a payload. Rows that cannot be compressed grow a little. */
export const PAYLOAD_BYTES_MAX = CHUNK_BYTES + 64 * 1024;
export const FRAME_HEAD_BYTES = 5;
export const FRAME = { data: 1, table: 2, end: 3 } as const;

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface BackupSequence {
  readonly name: string;
  readonly last_value: number;
  readonly is_called: boolean;
}

/** Work that was not finished when the backup was taken, by what it is. */
export type UnfinishedWork = Readonly<Record<string, number>>;

export interface BackupHeader {
  /** RFC 3339. */
  readonly created: string;
  /** Version of the program, and of the server as it names itself. */
  readonly millrace: string;
  readonly postgresql: string;
  /** The schema version: names of the applied migrations, in order. */
  readonly migrations: readonly string[];
  /** In the order of their rows. */
  readonly tables: readonly BackupTable[];
  readonly sequences: readonly BackupSequence[];
  /** First ids of the partitions of the logs. */
  readonly log_ranges: readonly number[];
  /** The highest epoch of a shard. */
  readonly shard_epoch: number;
  readonly unfinished: UnfinishedWork;
  /** Absent: the encryption keys are not in the file. */
  readonly secret_keys?: LockedKeys;
}

export interface BackupEnd {
  readonly tables: number;
  readonly rows: number;
  readonly sha256: string;
}

/** What is wrong with a file, for the operator. */
export function unusable(why: string, cause?: unknown): AppError {
  const text = `the backup cannot be used: ${why}. Nothing was restored`;
  return new AppError('INVALID_REQUEST', text, {}, cause === undefined ? {} : { cause });
}

export function frameHead(kind: number, bytes: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(bytes, 1);
  return head;
}

const NAMES_MAX = 10_000;
const NUMBER = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const TEXT = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 200;

/** Every problem of a header's form, as paths. Names are compared with the schema later, by the restore. */
function problemsOf(header: Partial<Record<keyof BackupHeader, unknown>>): string[] {
  const list = (value: unknown, isOne: (one: never) => boolean): boolean =>
    Array.isArray(value) && value.length <= NAMES_MAX && value.every((one) => isOne(one as never));
  const isTable = (one: BackupTable | null): boolean => TEXT(one?.name) && list(one?.columns, TEXT);
  const isSequence = (one: BackupSequence | null): boolean =>
    TEXT(one?.name) && NUMBER(one?.last_value) && typeof one?.is_called === 'boolean';
  const { unfinished } = header;
  const isCounts = typeof unfinished === 'object' && unfinished !== null;
  const forms: Readonly<Record<string, boolean>> = {
    created: TEXT(header.created),
    millrace: TEXT(header.millrace),
    postgresql: TEXT(header.postgresql),
    migrations: list(header.migrations, TEXT),
    tables: list(header.tables, isTable),
    sequences: list(header.sequences, isSequence),
    log_ranges: list(header.log_ranges, NUMBER),
    shard_epoch: NUMBER(header.shard_epoch),
    unfinished: isCounts && list(Object.values(unfinished), NUMBER),
  };
  return Object.keys(forms).filter((field) => forms[field] !== true);
}

/** Throws AppError INVALID_REQUEST that lists every malformed field. */
export function readHeader(line: string): BackupHeader {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch (error) {
    throw unusable('its header is not JSON', error);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw unusable('its header is not an object');
  }
  const problems = problemsOf(header);
  if (problems.length > 0) throw unusable(`its header has wrong fields: ${problems.join(', ')}`);
  return header as BackupHeader;
}

export function readEnd(payload: Buffer): BackupEnd {
  try {
    const end = JSON.parse(payload.toString('utf8')) as Partial<BackupEnd> | null;
    if (NUMBER(end?.tables) && NUMBER(end?.rows) && TEXT(end?.sha256)) return end as BackupEnd;
  } catch {
    // Reported below.
  }
  throw unusable('its end record is damaged');
}
