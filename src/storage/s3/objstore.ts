/**
 * The broker of a bucket on an S3 server. Keys are paths; keys that are not valid paths here (hidden names, `a//b`,
 * directories' placeholders) are ignored. A bucket is the same from every host, so it has no marker.
 *
 * Lists are in the order of the keys' bytes. Times have whole seconds. An identity is the server's etag of the content.
 */
import { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { needsBytes, normalisePath, relativePathProblem } from '../../domain/paths.ts';
import { PENDING_SUFFIX } from '../../domain/task/path-verdict.ts';
import { objectIdentity } from '../../domain/workspace/object-identity.ts';
import type {
  Broker,
  ListOptions,
  MountedFile,
  Reach,
  Removal,
  Stored,
  StoredEntry,
  StoreOptions,
} from '../broker.ts';
import type { ByteRange, Content } from '../content.ts';
import { isHidden } from '../file-name.ts';
import { checkedPath, LocalRoot } from '../local-root.ts';
import { failingWhenIdle, S3Connection, type S3Options } from './connection.ts';
import { deleteObject, getObject, headObject, listPage, type S3Object } from './objects.ts';
import { META_ID, META_PENDING, META_SHA256, S3Uploads } from './upload.ts';

export interface ObjstoreBrokerOptions extends S3Options {
  /** Where this host has the bucket mounted as a file system. */
  readonly mountPath?: string | undefined;
}

const PAGE_SIZE = 1_000;
const CHECK_MS_MAX = 10_000;
/** The longest key that S3 allows. */
const KEY_BYTES_MAX = 1_024;

export function createObjstoreBroker(options: ObjstoreBrokerOptions): Broker {
  return new ObjstoreBroker(options);
}

class ObjstoreBroker implements Broker {
  readonly kind = 'objstore';
  readonly local = undefined;
  readonly #s3: S3Connection;
  readonly #uploads: S3Uploads;
  readonly #mount: LocalRoot | undefined;

  constructor(options: ObjstoreBrokerOptions) {
    this.#s3 = new S3Connection(options);
    this.#uploads = new S3Uploads(this.#s3);
    this.#mount = options.mountPath === undefined ? undefined : new LocalRoot(options.mountPath);
  }

  async check(): Promise<Reach> {
    try {
      const signal = AbortSignal.timeout(CHECK_MS_MAX);
      (await this.#s3.ask({ method: 'HEAD', answerMsMax: CHECK_MS_MAX, signal })).resume();
      return { isReachable: true, isUnmarked: false, reason: '' };
    } catch (error) {
      const failure = this.#s3.toAppError(error);
      const reason =
        failure instanceof AppError
          ? failure.message
          : `the bucket '${this.#s3.bucket}' at ${this.#s3.where} does not answer`;
      return { isReachable: false, isUnmarked: false, reason };
    }
  }

  async *list(options: ListOptions): AsyncGenerator<readonly StoredEntry[]> {
    const { prefix = '', after, recursive, pageSize = PAGE_SIZE } = options;
    // Without `recursive` only files directly in the root are listed, and none of their paths contains a `/`.
    if (!recursive && prefix.includes('/')) return;
    let page: StoredEntry[] = [];
    let from: string | undefined;
    do {
      const wanted = { prefix, after, isFlat: !recursive, pageSize: PAGE_SIZE };
      const found = await this.#translating(undefined, () => listPage(this.#s3, wanted, from));
      for (const object of found.objects) {
        if (!(await this.#isFile(object))) continue;
        page.push(toEntry(object));
        if (page.length < pageSize) continue;
        yield page;
        page = [];
      }
      from = found.next;
    } while (from !== undefined);
    if (page.length > 0) yield page;
  }

  stat(path: string): Promise<StoredEntry | undefined> {
    return this.#translating(path, async () => {
      const head = await headObject(this.#s3, keyOf(path));
      if (head === undefined || META_PENDING in head.meta) return undefined;
      const sha256 = head.meta[META_SHA256];
      return { ...toEntry(head), ...(sha256 === undefined ? {} : { sha256 }) };
    });
  }

  async openRead(path: string, range: ByteRange = { offset: 0 }): Promise<Readable> {
    const { offset, length } = range;
    const open = async () => {
      const key = keyOf(path);
      if (length === 0 && (await headObject(this.#s3, key)) !== undefined) return undefined;
      return getObject(this.#s3, key, length === 0 ? { offset: 0 } : { offset, length });
    };
    const body = await this.#translating(path, open);
    if (body === undefined) return Readable.from([]);
    const pieces = this.#pieces(path, failingWhenIdle(body));
    // Bytes are passed on as they arrive, so only the socket's own buffer is in memory.
    return Readable.from(pieces, { objectMode: false });
  }

  async mountedFile(path: string): Promise<MountedFile | undefined> {
    const checked = keyOf(path);
    const mount = this.#mount;
    if (mount === undefined || needsBytes(checked)) return undefined;
    try {
      const facts = await mount.beside(checked, (folder, name) => folder.facts(name));
      return facts?.kind === 'file' ? { hostPath: `${mount.root}/${checked}`, size: facts.size } : undefined;
    } catch {
      return undefined; // not mounted here, or not visible through the mount: it is fetched
    }
  }

  store(content: Content, path: string, options: StoreOptions): Promise<Stored> {
    return this.#translating(path, async () => {
      const uploaded = await this.#uploads.store(content, keyOf(path), options);
      const { mtimeMs } = uploaded.head;
      const { isDuplicate } = uploaded;
      const proof = options.reserve && { proof: uploaded.proof };
      return { path: uploaded.path, ...uploaded.content, mtimeMs, isDuplicate, ...proof };
    });
  }

  storedBy(path: string, id: string | number): Promise<Stored | undefined> {
    return this.#translating(path, async () => {
      const found = await this.#uploads.storedBy(keyOf(path), id);
      if (found === undefined) return undefined;
      const { key, size, mtimeMs, meta } = found;
      return { path: key, size, sha256: meta[META_SHA256] ?? '', mtimeMs, isDuplicate: false };
    });
  }

  abandon(path: string, id: string | number, isStored = false): Promise<void> {
    return this.#translating(path, () => this.#uploads.abandon(keyOf(path), id, isStored));
  }

  proofAt(path: string): Promise<string> {
    return this.#translating(path, async () => {
      const head = await headObject(this.#s3, keyOf(path));
      if (head === undefined) return '';
      const id = head.meta[META_ID];
      if (id === undefined) return objectIdentity(head.etag, head.size);
      return META_PENDING in head.meta ? `${id}${PENDING_SUFFIX}` : id;
    });
  }

  withdraw(path: string, proof: string): Promise<void> {
    const isPending = proof.endsWith(PENDING_SUFFIX);
    return this.abandon(path, isPending ? proof.slice(0, -PENDING_SUFFIX.length) : proof, !isPending);
  }

  remove(path: string, identity?: string): Promise<Removal> {
    return this.#translating(path, async () => {
      const key = keyOf(path);
      const head = await headObject(this.#s3, key);
      if (head === undefined || META_PENDING in head.meta) return 'absent';
      if (identity !== undefined && toEntry(head).identity !== identity) return 'absent';
      return deleteObject(this.#s3, key, identity === undefined ? undefined : head.etag);
    });
  }

  async *#pieces(path: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* pieces;
    } catch (error) {
      throw this.#s3.toAppError(error, path);
    }
  }

  /** Empty objects are checked once more: they may be placeholders for a file that is still being sent. */
  async #isFile({ key, size }: S3Object): Promise<boolean> {
    if (relativePathProblem(key) !== undefined || normalisePath(key) !== key) return false;
    if (key.split('/').some(isHidden)) return false;
    return size > 0 || (await this.stat(key)) !== undefined;
  }

  async #translating<T>(path: string | undefined, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw this.#s3.toAppError(error, path);
    }
  }
}

function keyOf(path: string): string {
  const key = checkedPath(path);
  if (Buffer.byteLength(key) <= KEY_BYTES_MAX) return key;
  throw new AppError('PATH_NOT_ALLOWED', `the path has more than ${KEY_BYTES_MAX} bytes`, { path });
}

function toEntry({ key, size, mtimeMs, etag }: S3Object): StoredEntry {
  return { path: key, size, mtimeMs, identity: objectIdentity(etag, size) };
}
