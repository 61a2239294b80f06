/**
 * Notifications of object stores: the events of AWS, MinIO and Ceph for a created object, bare, in an SNS envelope, or
 * as an EventBridge event. Hostile input can only be refused, with a reason.
 */
import { isAbsent, isJsonObject, textProblem } from '../document/json-value.ts';
import type { SeenFile } from '../node/agent-messages.ts';
import { baseName, normalisePath, relativePathProblem } from '../paths.ts';
import { parseInstant } from '../times.ts';
import { objectIdentity } from '../workspace/object-identity.ts';

/** A created object. `path` is its key, decoded. */
export interface SeenObject {
  readonly bucket: string;
  readonly path: string;
  readonly size: number;
  readonly etag: string;
  /** Null: the store does not report it. */
  readonly eventMs: number | null;
  /** Hexadecimal; orders the events of one key. Empty: the store does not report it. */
  readonly sequencer: string;
}

export interface Notification {
  readonly objects: readonly SeenObject[];
  /** Records of other events, empty objects (folders, unfinished uploads), hidden names, test events. */
  readonly skippedCount: number;
  /** Why records, or the whole message, cannot be used; each a sentence for operators. */
  readonly problems: readonly string[];
}

/** limit: records of one notification; stores send one record, or a few. */
const NOTIFICATION_RECORDS_MAX = 1_000;
/** limit: bytes of one notification. SQS and SNS accept no more; a record is about 1 KB. */
export const NOTIFICATION_BYTES_MAX = 262_144;
const ENVELOPES_MAX = 3;
const PROBLEMS_MAX = 20;
const FILE_NAME_CHARS_MAX = 250;
const CREATED = /^(?:s3:)?ObjectCreated(?::|$)/;

/** Reads the text of a message. Never throws; a text that is not a notification is a problem. */
export function readNotification(text: string): Notification {
  if (text.length > NOTIFICATION_BYTES_MAX)
    return unreadable(`has more than ${NOTIFICATION_BYTES_MAX} bytes`);
  const document = parse(text);
  return document === undefined ? unreadable('is not JSON') : readNotificationDocument(document);
}

/** Reads a parsed notification. */
export function readNotificationDocument(sent: unknown): Notification {
  let document = sent;
  for (let depth = 0; isJsonObject(document) && typeof document.Message === 'string'; depth += 1) {
    if (depth === ENVELOPES_MAX) return unreadable(`lies in more than ${ENVELOPES_MAX} envelopes`);
    document = parse(document.Message);
  }
  if (!isJsonObject(document)) return unreadable('is no JSON object');
  if (document.Event === 's3:TestEvent') return { objects: [], skippedCount: 1, problems: [] };
  if (document.source === 'aws.s3') return collect([document], readBusEvent);
  const records = document.Records;
  if (!Array.isArray(records)) return unreadable(`has no array 'Records'`);
  if (records.length > NOTIFICATION_RECORDS_MAX) {
    return unreadable(`has more than ${NOTIFICATION_RECORDS_MAX} records`);
  }
  return collect(records, readRecord);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller reports it
  }
}

function unreadable(why: string): Notification {
  return { objects: [], skippedCount: 0, problems: [`the notification ${why}`] };
}

/** The result of one record: an object, `skipped`, or why it cannot be used. */
type Reading = SeenObject | 'skipped' | { readonly problem: string };

function collect(records: readonly unknown[], read: (record: unknown) => Reading): Notification {
  const objects: SeenObject[] = [];
  const problems: string[] = [];
  let skippedCount = 0;
  for (const [index, record] of records.entries()) {
    const reading = read(record);
    if (reading === 'skipped') skippedCount += 1;
    else if (!('problem' in reading)) objects.push(reading);
    else if (problems.length < PROBLEMS_MAX) problems.push(`record ${index}: ${reading.problem}`);
  }
  return { objects, skippedCount, problems };
}

function readRecord(record: unknown): Reading {
  if (!isJsonObject(record)) return problem('is no JSON object');
  const { eventName, eventVersion, s3 } = record;
  if (typeof eventName !== 'string') return problem(`has no 'eventName'`);
  if (!CREATED.test(eventName)) return 'skipped';
  if (typeof eventVersion !== 'string' || !eventVersion.startsWith('2.')) {
    return problem(`has no 'eventVersion' that begins with '2.'`);
  }
  const { bucket, object } = isJsonObject(s3) ? s3 : {};
  if (!isJsonObject(bucket) || !isJsonObject(object)) return problem(`has no 's3.bucket' and 's3.object'`);
  // Only Ceph sends keys unencoded.
  const isPlain = typeof record.eventSource === 'string' && record.eventSource.startsWith('ceph:');
  const key = typeof object.key !== 'string' ? undefined : isPlain ? object.key : decodeKey(object.key);
  if (key === undefined) return problem(`'s3.object.key' is no URL-encoded text`);
  const { size, sequencer } = object;
  // Older versions of Ceph write it in lower case.
  const etag = object.eTag ?? object.etag;
  return seen({ bucket: bucket.name, key, size, etag, sequencer, time: record.eventTime });
}

/** The form of EventBridge; its keys are not encoded. */
function readBusEvent(event: unknown): Reading {
  if (!isJsonObject(event) || !isJsonObject(event.detail)) return problem(`has no 'detail'`);
  if (event['detail-type'] !== 'Object Created') return 'skipped';
  const { bucket, object } = event.detail;
  if (!isJsonObject(bucket) || !isJsonObject(object)) return problem(`has no 'bucket' and 'object'`);
  const { key, size, etag, sequencer } = object;
  return seen({ bucket: bucket.name, key, size, etag, sequencer, time: event.time });
}

function decodeKey(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined; // the caller reports it
  }
}

interface Raw {
  readonly bucket: unknown;
  readonly key: unknown;
  readonly size: unknown;
  readonly etag: unknown;
  readonly sequencer: unknown;
  readonly time: unknown;
}

function seen({ bucket, key, size, etag, sequencer, time }: Raw): Reading {
  if (typeof bucket !== 'string' || bucket === '') return problem('names no bucket');
  if (typeof key !== 'string' || key === '') return problem('names no key');
  // Folder markers, and placeholders of uploads, are empty. The listing finds empty files.
  if (size === 0 || (key.endsWith('/') && isAbsent(size))) return 'skipped';
  const unfit = keyProblem(key);
  if (unfit !== undefined) return problem(`the key ${unfit}`);
  if (key.split('/').some((segment) => segment.startsWith('.'))) return 'skipped';
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return problem('has no size');
  if (typeof etag !== 'string' || !/^"?[\w-]{1,200}"?$/.test(etag)) return problem('has no ETag');
  return {
    bucket,
    path: key,
    size,
    etag,
    eventMs: typeof time === 'string' ? (parseInstant(time) ?? null) : null,
    sequencer: typeof sequencer === 'string' && /^[0-9A-Fa-f]{1,64}$/.test(sequencer) ? sequencer : '',
  };
}

/** Why a key cannot be the path of a file (completes "the key …"), or undefined. */
function keyProblem(key: string): string | undefined {
  const unfit = textProblem(key) ?? relativePathProblem(key);
  if (unfit !== undefined) return unfit;
  if (normalisePath(key) !== key) return `has an empty segment, or '.' as one`;
  if (baseName(key).length > FILE_NAME_CHARS_MAX)
    return `has a name of more than ${FILE_NAME_CHARS_MAX} characters`;
  return undefined;
}

function problem(text: string): { readonly problem: string } {
  return { problem: text };
}

/**
 * The files of one bucket among the objects, as a monitor would report them. If a key has several events, the newest
 * one counts, because it replaced the earlier content.
 */
export function filesSeenIn(
  objects: readonly SeenObject[],
  bucket: string,
  nowMs: number,
): { readonly files: readonly SeenFile[]; readonly foreignCount: number } {
  const newest = new Map<string, SeenObject>();
  let foreignCount = 0;
  for (const object of objects) {
    if (object.bucket !== bucket) foreignCount += 1;
    else if (!isOlder(object, newest.get(object.path))) newest.set(object.path, object);
  }
  const files = [...newest.values()].map((object): SeenFile => {
    const { path, size, etag, eventMs } = object;
    const atMs = eventMs ?? nowMs;
    return {
      ...{ path, size, arrival: 'complete', mtimeMs: atMs, firstSeenMs: atMs },
      identity: objectIdentity(etag, size),
    };
  });
  return { files, foreignCount };
}

function isOlder(one: SeenObject, other: SeenObject | undefined): boolean {
  if (other === undefined) return false;
  if (one.sequencer !== '' && other.sequencer !== '') {
    const length = Math.max(one.sequencer.length, other.sequencer.length);
    const [left, right] = [one, other].map((object) => object.sequencer.toUpperCase().padStart(length, '0'));
    return (left as string) < (right as string);
  }
  return (one.eventMs ?? 0) < (other.eventMs ?? 0);
}
