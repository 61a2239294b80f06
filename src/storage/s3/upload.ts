/**
 * Stores content as an object without ever overwriting another's.
 *
 * A small file is one conditional put: if several want a key, one gets it. A large file is sent in parts. Not every
 * server can make the end of such an upload conditional, so its key is first taken by a conditional put of an empty
 * placeholder with the id of this work, and only that placeholder is ever overwritten. Placeholders are ignored: lists
 * leave them out, and other work that meets one uses its own directory. The hash is known before anything is sent and
 * is kept with the object; the sent bytes are checked against it before the parts become the object.
 *
 * On a server that ignores conditions no key can be taken. There every file goes into a directory named by its id,
 * which nobody else writes to.
 */
import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { StoreOptions } from '../broker.ts';
import { type Content, readRange } from '../content.ts';
import { type Digest, digest } from '../digest.ts';
import { pathTaken, placesOf } from '../place.ts';
import { failingWhenIdle, type S3Connection, S3Failure, unlessAborted } from './connection.ts';
import {
  deleteObject,
  digestHeader,
  element,
  getObject,
  headObject,
  listPage,
  metaHeaders,
  plainEtag,
  putObject,
  queryText,
  type S3Head,
} from './objects.ts';

/** The names of our metadata. */
export const META_SHA256 = 'millrace-sha256';
export const META_ID = 'millrace-id';
/** On a placeholder: the run that created it. */
export const META_PENDING = 'millrace-pending';

export interface Uploaded {
  readonly path: string;
  readonly head: S3Head;
  readonly content: Digest;
  readonly isDuplicate: boolean;
  /** The id that is stored with it. */
  readonly proof: string;
}

const PART_BYTES = 8 * 1024 * 1024;
const PARTS_MAX = 10_000;
// limit: a part stays in memory while it is sent, so that it can be sent again. Allows files of up to 640 GB.
const PART_BYTES_MAX = 64 * 1024 * 1024;
const PART_MS_MAX = 10 * 60_000;
const RACES_MAX = 5;
const PROBE = '.millrace-probe-';
const PROBE_MS_MAX = 3_600_000;

export class S3Uploads {
  readonly #s3: S3Connection;
  #isConditional: Promise<boolean> | undefined;

  constructor(s3: S3Connection) {
    this.#s3 = s3;
  }

  /** Throws S3Failure, AppError, or the reason of an aborted signal; then nothing of this run is left behind. */
  async store(content: Content, path: string, options: StoreOptions): Promise<Uploaded> {
    partBytesOf(content.size); // checks the size before all of it is read
    const hashing = { signal: options.signal, onProgress: halved(options) };
    const found = await digest(content, hashing);
    if (found.size !== content.size) throw changedMeanwhile();
    const [wanted, apart] = placesOf(path, options.id);
    const upload = new Upload(this.#s3, content, found, options);
    const isConditional = await unlessAborted(this.#conditional(), options.signal);
    if (options.isExact === true && !isConditional) {
      throw new AppError(
        'WORKSPACE_UNAVAILABLE',
        'its store ignores If-None-Match, so a file could be overwritten',
      );
    }
    const proof = String(options.id);
    const keptProof = await options.reserve?.({ proof, ...found });
    const kept = keptProof === undefined ? undefined : await headObject(this.#s3, wanted, options.signal);
    if (keptProof !== undefined && kept !== undefined)
      return { path: wanted, content: found, head: kept, isDuplicate: false, proof: keptProof };
    const first = isConditional ? await upload.at(wanted) : await upload.lookAt(wanted);
    if (options.isExact === true && first?.isDuplicate !== false) throw pathTaken(wanted);
    if (first !== undefined) return { path: wanted, content: found, proof, ...first };
    const second = isConditional ? await upload.at(apart) : await upload.alone(apart);
    // Only this work uses a directory named by its id, so equal content there is from an earlier run.
    if (second !== undefined) return { path: apart, content: found, proof, ...second, isDuplicate: false };
    throw new AppError('CONFLICT', `both '${wanted}' and '${apart}' are taken by other content`, {
      wanted,
      apart,
    });
  }

  /** The object that an earlier run of this work has finished. */
  async storedBy(path: string, id: string | number): Promise<S3Head | undefined> {
    // The path with our id comes first, because only this work stores there.
    for (const key of [...placesOf(path, id)].reverse()) {
      const head = await headObject(this.#s3, key);
      if (head?.meta[META_ID] === String(id) && head.meta[META_SHA256] !== undefined) return head;
    }
    return undefined;
  }

  /** Removes parts and placeholders of this work; with `isStored` its finished object, too. */
  async abandon(path: string, id: string | number, isStored: boolean): Promise<void> {
    for (const key of placesOf(path, id)) {
      const head = await headObject(this.#s3, key);
      if (head?.meta[META_ID] !== String(id)) continue;
      if (head.meta[META_PENDING] === undefined && !isStored) continue;
      await abortUploads(this.#s3, key);
      await deleteObject(this.#s3, key, head.etag);
    }
  }

  /** Whether the server honours conditions. Probed once a connection, with two puts of a hidden object. */
  #conditional(): Promise<boolean> {
    this.#isConditional ??= this.#probe().catch((error: unknown) => {
      this.#isConditional = undefined;
      throw error;
    });
    return this.#isConditional;
  }

  /** Removes the probes of agents that were killed while they probed. */
  async #removeOldProbes(): Promise<void> {
    const { objects } = await listPage(this.#s3, { prefix: PROBE, pageSize: 100 });
    const old = objects.filter(({ mtimeMs }) => mtimeMs < Date.now() - PROBE_MS_MAX);
    for (const { key } of old) await deleteObject(this.#s3, key);
  }

  async #probe(): Promise<boolean> {
    await this.#removeOldProbes();
    const key = `${PROBE}${randomUUID()}`;
    const put = () => putObject(this.#s3, key, Buffer.alloc(0), { meta: {}, isNew: true });
    try {
      return (await put()) && !(await put());
    } catch (error) {
      // 501: the server reports that it does not support conditions.
      if (error instanceof S3Failure && /^(NotImplemented|HTTP_501|MethodNotAllowed)$/.test(error.code))
        return false;
      throw error;
    } finally {
      await deleteObject(this.#s3, key).catch(() => undefined); // hidden, and a few bytes
    }
  }
}

/** The size of a part. Throws FILESYSTEM_IO when the content needs too many parts. */
function partBytesOf(size: number): number {
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / PARTS_MAX / PART_BYTES) * PART_BYTES);
  if (partBytes <= PART_BYTES_MAX) return partBytes;
  const text = `a file of ${size} bytes is too large for an object store`;
  throw new AppError('FILESYSTEM_IO', text, { size });
}

type Placed = Pick<Uploaded, 'head' | 'isDuplicate'>;

/** One run of one work. */
class Upload {
  readonly #s3: S3Connection;
  readonly #content: Content;
  readonly #digest: Digest;
  readonly #options: StoreOptions;
  readonly #meta: Readonly<Record<string, string>>;
  readonly #run = randomUUID();

  constructor(s3: S3Connection, content: Content, digest: Digest, options: StoreOptions) {
    this.#s3 = s3;
    this.#content = content;
    this.#digest = digest;
    this.#options = options;
    this.#meta = { [META_ID]: String(options.id), [META_SHA256]: digest.sha256 };
  }

  /** Stores the content at `key`; undefined when other content has the key. */
  async at(key: string): Promise<Placed | undefined> {
    for (let race = 0; race < RACES_MAX; race += 1) {
      const isMine = this.#isSmall ? await this.#putWhole(key, true) : await this.#hold(key, true);
      if (isMine) return this.#isSmall ? this.#verified(key) : this.#inParts(key);
      const there = await headObject(this.#s3, key, this.#options.signal);
      if (there === undefined) continue;
      if (there.meta[META_PENDING] === undefined) return this.#judge(there);
      if (there.meta[META_ID] !== String(this.#options.id)) return undefined;
      // An earlier run of this work took the key and did not finish.
      return this.alone(key);
    }
    throw new AppError('FILESYSTEM_IO', `other programs create and remove '${key}' again and again`, { key });
  }

  /** Looks for the content without storing anything. */
  async lookAt(key: string): Promise<Placed | undefined> {
    const there = await headObject(this.#s3, key, this.#options.signal);
    return there === undefined ? undefined : this.#judge(there);
  }

  /** Stores the content at a key that nobody else writes to. */
  async alone(key: string): Promise<Placed | undefined> {
    const there = await headObject(this.#s3, key, this.#options.signal);
    if (there !== undefined && there.meta[META_PENDING] === undefined) return this.#judge(there);
    if (this.#isSmall) {
      await this.#putWhole(key, false);
      return this.#verified(key);
    }
    await this.#hold(key, false);
    return this.#inParts(key);
  }

  get #isSmall(): boolean {
    return this.#digest.size <= PART_BYTES;
  }

  async #putWhole(key: string, isNew: boolean): Promise<boolean> {
    const { signal } = this.#options;
    const body = await readRange(this.#content, 0, this.#digest.size, signal);
    if (createHash('sha256').update(body).digest('hex') !== this.#digest.sha256) throw changedMeanwhile();
    const isPut = await putObject(this.#s3, key, body, { meta: this.#meta, isNew, signal });
    if (isPut) halved(this.#options)(body.length + this.#digest.size);
    return isPut;
  }

  /** Puts the placeholder, in this run's name. */
  #hold(key: string, isNew: boolean): Promise<boolean> {
    const meta = { [META_ID]: String(this.#options.id), [META_PENDING]: this.#run };
    return putObject(this.#s3, key, Buffer.alloc(0), { meta, isNew, signal: this.#options.signal });
  }

  async #inParts(key: string): Promise<Placed> {
    let uploadId: string | undefined;
    try {
      await abortUploads(this.#s3, key);
      const { signal } = this.#options;
      const headers = metaHeaders(this.#meta);
      const begun = await this.#s3.text({ method: 'POST', key, query: 'uploads=', headers, signal });
      uploadId = element(begun.text, 'UploadId');
      const etags = await this.#sendParts(key, uploadId);
      await this.#complete(key, uploadId, etags);
      return await this.#verified(key);
    } catch (error) {
      await this.#undo(key, uploadId).catch(() => undefined); // the original failure is reported
      throw error;
    }
  }

  async #sendParts(key: string, uploadId: string): Promise<string[]> {
    const { size, sha256 } = this.#digest;
    const partBytes = partBytesOf(size);
    const hash = createHash('sha256');
    const etags: string[] = [];
    const { signal } = this.#options;
    for (let offset = 0; offset < size; offset += partBytes) {
      const body = await readRange(this.#content, offset, Math.min(partBytes, size - offset), signal);
      hash.update(body);
      const query = queryText({ partNumber: String(etags.length + 1), uploadId });
      const headers = digestHeader(body);
      const answer = await this.#s3.ask({
        method: 'PUT',
        key,
        query,
        headers,
        body,
        signal,
        answerMsMax: PART_MS_MAX,
      });
      answer.resume();
      etags.push(String(answer.headers.etag ?? ''));
      halved(this.#options)(offset + body.length + size);
    }
    if (hash.digest('hex') !== sha256) throw changedMeanwhile();
    return etags;
  }

  async #complete(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const parts = etags.map((etag, index) => {
      return `<Part><PartNumber>${index + 1}</PartNumber><ETag>&quot;${plainEtag(etag)}&quot;</ETag></Part>`;
    });
    const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
    const body = `<CompleteMultipartUpload xmlns="${namespace}">${parts.join('')}</CompleteMultipartUpload>`;
    const query = queryText({ uploadId });
    const { signal } = this.#options;
    try {
      const { text } = await this.#s3.text({
        method: 'POST',
        key,
        query,
        body,
        signal,
        answerMsMax: PART_MS_MAX,
      });
      // The status is sent before the server knows the result: a failure may follow.
      if (text.includes('<Error>'))
        throw new S3Failure(element(text, 'Code') || 'InternalError', true, undefined);
    } catch (error) {
      // The answer was lost, and the retry finds that the upload has ended. The content at the key decides.
      if (!(error instanceof S3Failure) || error.code !== 'NoSuchUpload') throw error;
    }
  }

  /** Checks that the stored content is what was sent. */
  async #verified(key: string): Promise<Placed> {
    const head = await headObject(this.#s3, key);
    const isIt = head?.size === this.#digest.size && head.meta[META_SHA256] === this.#digest.sha256;
    if (head !== undefined && isIt) return { head, isDuplicate: false };
    throw new AppError('FILESYSTEM_IO', `the object stored at '${key}' differs from what was sent`, { key });
  }

  /**
   * The result for content that is stored already: equal content is a duplicate, or that of an earlier run of this
   * work.
   */
  async #judge(there: S3Head): Promise<Placed | undefined> {
    const { size, sha256 } = this.#digest;
    if (there.size !== size) return undefined;
    const known = there.meta[META_SHA256] ?? (await this.#hashOf(there));
    if (known !== sha256) return undefined;
    return { head: there, isDuplicate: there.meta[META_ID] !== String(this.#options.id) };
  }

  async #hashOf({ key }: S3Head): Promise<string> {
    const hash = createHash('sha256');
    const body = await getObject(this.#s3, key, { offset: 0 });
    if (body !== undefined)
      for await (const piece of failingWhenIdle(body, this.#options.signal)) hash.update(piece);
    return hash.digest('hex');
  }

  /** Removes the placeholder, if it is still this run's. */
  async #undo(key: string, uploadId: string | undefined): Promise<void> {
    if (uploadId !== undefined) await abortUpload(this.#s3, key, uploadId);
    const there = await headObject(this.#s3, key);
    if (there?.meta[META_PENDING] === this.#run) await deleteObject(this.#s3, key, there.etag);
  }
}

/** Everything is read twice, for the hash and for sending: progress counts half of each. */
function halved({ onProgress, signal }: StoreOptions): (bytes: number) => void {
  return (bytes) => {
    onProgress?.(Math.floor(bytes / 2));
    signal?.throwIfAborted();
  };
}

function changedMeanwhile(): AppError {
  return new AppError('STATE_CONFLICT', 'the file was changed while it was stored', {});
}

/** Ends uploads that earlier runs left. Only the holder of the key sends parts to it. */
async function abortUploads(s3: S3Connection, key: string): Promise<void> {
  const query = queryText({ uploads: '', prefix: key, 'max-uploads': '1000' });
  const { text } = await s3.text({ method: 'GET', query });
  for (const [, entry = ''] of text.matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
    if (element(entry, 'Key') === key) await abortUpload(s3, key, element(entry, 'UploadId'));
  }
}

async function abortUpload(s3: S3Connection, key: string, uploadId: string): Promise<void> {
  const query = queryText({ uploadId });
  (await s3.ask({ method: 'DELETE', key, query, expects: [200, 204, 404] })).resume();
}
