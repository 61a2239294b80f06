/**
 * Images on this host. skopeo pulls each digest once, and umoci unpacks it for the user ids to which containers are
 * mapped. The most recently used images are kept, up to a total size.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import {
  fullReference,
  type ImageReference,
  isOnThisMachine,
  parseReference,
} from '../../../src/domain/task/image-reference.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';
import { removeTree } from '../../../src/storage/remove-tree.ts';
import type { Clock } from '../../clock.ts';
import { TaskFailure } from '../../task/task-failure.ts';
import type { UserRange } from '../process/task-slots.ts';
import { has32BitPrograms } from '../program-width.ts';
import { processHint, pullFailure, pullTries } from '../pull-tries.ts';
import { loginOf } from '../registry-auth.ts';
import { type ProgramFailure, runProgram } from '../run-program.ts';
import { SharedPulls } from '../shared-pulls.ts';
import type { ImageFacts } from './bundle.ts';
import { makeMountPoints } from './mount-points.ts';

const MIB = 1024 * 1024;
const FREE_BYTES_MIN = 1024 * MIB;
/** limit: for one program; the caller of a pull limits the whole. */
const PROGRAM_MS_MAX = 45 * 60_000;
/** The interval at which the use of an image is recorded: each record is a change on the disk. */
const TOUCH_MS = 10_000;
/** limit: cached names of images. */
const NAMES_MAX = 1_000;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface OciImagesOptions {
  /** Folder of the unpacked images; created if missing. */
  readonly folder: string;
  readonly cacheMib: number;
  readonly mappedUsers: UserRange;
  readonly authFile: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Unpacked {
  readonly digest: string;
  /** Absolute: the files of the image. */
  readonly root: string;
  readonly facts: ImageFacts;
}

interface Kept extends ImageFacts {
  readonly sizeBytes: number;
}

export class OciImages {
  readonly #options: OciImagesOptions;
  readonly #shared = new SharedPulls();
  /** By execution: images that must not be removed. */
  readonly #inUse = new Map<number, string>();
  /** Cached look-ups of images by name. Only this process changes the disk; `take` notices a missing image. */
  readonly #read = new LRUCache<string, Found>({ max: NAMES_MAX });
  /** By digest: `Clock.bootMs` when its use was recorded. */
  readonly #touched = new LRUCache<string, number>({ max: NAMES_MAX });

  constructor(options: OciImagesOptions) {
    this.#options = options;
  }

  /** Throws TaskFailure `pull`. */
  pull(image: string, signal: AbortSignal): Promise<void> {
    return this.#shared.join(image, signal, () => this.#ensure(image));
  }

  /** The image for an execution, which keeps it until `giveBack`; pulled again if it was removed since its pull. */
  async take(executionId: number, image: string): Promise<Unpacked> {
    for (;;) {
      const found = await this.#known(image);
      if (found === undefined) {
        await this.#ensure(image);
        continue;
      }
      const { digest, facts } = found;
      this.#inUse.set(executionId, digest);
      if (await this.#touch(digest)) return { digest, root: join(this.#place(digest), 'root'), facts };
      this.#read.delete(image);
    }
  }

  /** Records that the image is used, from time to time. Resolves with false if it was removed. */
  async #touch(digest: string): Promise<boolean> {
    const { clock } = this.#options;
    const path = join(this.#place(digest), 'image.json');
    const touchedMs = this.#touched.get(digest) ?? Number.NEGATIVE_INFINITY;
    if (clock.bootMs() - touchedMs < TOUCH_MS) return existsSync(path);
    const now = new Date(clock.nowMs());
    try {
      await utimes(path, now, now);
      this.#touched.set(digest, clock.bootMs());
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** After a restart: the execution has this image. */
  adopt(executionId: number, digest: string): void {
    if (DIGEST.test(digest)) this.#inUse.set(executionId, digest);
  }

  /** The image that an execution has. */
  digestOf(executionId: number): string | undefined {
    return this.#inUse.get(executionId);
  }

  giveBack(executionId: number): void {
    this.#inUse.delete(executionId);
  }

  /** Removes incomplete pulls of an earlier run. */
  async removeLeftovers(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch(() => undefined);
    if (names === undefined) return;
    await this.#close(); // an earlier release let everybody enter
    for (const name of names) {
      if (name.startsWith('new-')) await this.#remove(name);
    }
  }

  /**
   * Removes a folder of the cache. An image may contain anything; if the folder cannot be removed, the next start tries
   * again.
   */
  async #remove(name: string): Promise<void> {
    const { folder, log } = this.#options;
    const { failure } = await new LocalRoot(folder).within('', (images) => removeTree(images, name));
    if (failure !== undefined) log.warn('image_not_removed', { name, error: failure });
  }

  /** The image, if it is on this host. */
  async #known(image: string): Promise<Found | undefined> {
    const known = this.#read.get(image);
    if (known !== undefined) return known;
    const reference = parse(image);
    const digest = reference.digest ?? (await readFile(this.#nameFile(image), 'utf8').catch(() => ''));
    const facts = DIGEST.test(digest) ? await this.#keptAs(digest) : undefined;
    if (facts === undefined) return undefined;
    const found = { digest, facts };
    this.#read.set(image, found);
    return found;
  }

  async #ensure(image: string): Promise<void> {
    const reference = parse(image);
    if ((await this.#known(image)) !== undefined) return;
    const { folder, clock, log } = this.#options;
    await mkdir(join(folder, 'names'), { recursive: true, mode: 0o700 });
    await this.#close();
    await this.#refuseFullDisk();
    await pullTries({ image, clock, log }, async () => {
      const digest = reference.digest ?? (await this.#ask(reference));
      if ((await this.#keptAs(digest)) === undefined) {
        // Two names of one image share the running pull.
        await this.#shared.join(digest, new AbortController().signal, () => this.#fetch(reference, digest));
      }
      const temporary = `${this.#nameFile(image)}.${randomUUID()}`;
      await writeFile(temporary, digest);
      await rename(temporary, this.#nameFile(image));
    });
    await this.#makeRoom();
  }

  /**
   * Images contain device nodes and programs with capabilities, which would give their rights to any user of this host.
   * So only the first user of containers, as whom runtimes mount, can enter the folder.
   */
  async #close(): Promise<void> {
    const { folder, mappedUsers } = this.#options;
    await chown(folder, 0, mappedUsers.first);
    await chmod(folder, 0o710);
  }

  /** The present digest of the name at its registry. */
  async #ask(reference: ImageReference): Promise<string> {
    const args = ['inspect', '--format', '{{.Digest}}', ...(await this.#access(reference, ''))];
    const digest = (await this.#skopeo([...args, `docker://${fullReference(reference)}`])).trim();
    if (!DIGEST.test(digest)) throw new Error('the registry gave no digest');
    return digest;
  }

  async #fetch(reference: ImageReference, digest: string): Promise<void> {
    const { folder, mappedUsers } = this.#options;
    const work = join(folder, `new-${randomUUID()}`);
    try {
      await mkdir(work, { mode: 0o711 });
      const layout = join(work, 'layout');
      const source = `docker://${fullReference({ ...reference, digest })}`;
      await this.#skopeo(['copy', ...(await this.#access(reference, 'src-')), source, `oci:${layout}:image`]);
      const map = `0:${mappedUsers.first}:${mappedUsers.count}`;
      const maps = ['--uid-map', map, '--gid-map', map];
      const unpack = ['raw', 'unpack', ...maps, '--image', `${layout}:image`, join(work, 'root')];
      await runProgram('umoci', unpack, PROGRAM_MS_MAX);
      const root = join(work, 'root');
      makeMountPoints(root, mappedUsers.first);
      const facts = { ...(await readFacts(layout)), has32BitPrograms: await has32BitPrograms(root) };
      await rm(layout, { recursive: true });
      const [size = '0'] = (await runProgram('du', ['-s', '-B1', work], PROGRAM_MS_MAX)).split('\t');
      const kept: Kept = { ...facts, sizeBytes: Number(size) };
      await writeFile(join(work, 'image.json'), JSON.stringify(kept));
      // A folder with its final name is complete, even after a crash of the host.
      await runProgram('sync', ['-f', work], PROGRAM_MS_MAX);
      await this.#remove(basename(this.#place(digest)));
      await rename(work, this.#place(digest));
    } finally {
      await this.#remove(basename(work));
    }
  }

  /** If the credentials file has none for a registry, skopeo connects anonymously. */
  async #access(reference: ImageReference, prefix: '' | 'src-'): Promise<string[]> {
    const { authFile } = this.#options;
    const login = authFile === undefined ? undefined : await loginOf(authFile, reference.registry);
    const file = authFile === undefined || login === undefined ? [] : ['--authfile', resolve(authFile)];
    return [...file, ...(isOnThisMachine(reference) ? [`--${prefix}tls-verify=false`] : [])];
  }

  async #skopeo(args: readonly string[]): Promise<string> {
    try {
      return await runProgram('skopeo', args, PROGRAM_MS_MAX);
    } catch (error) {
      throw pullFailure(undefined, (error as ProgramFailure).message);
    }
  }

  async #refuseFullDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#options.folder);
    if (bavail * bsize >= FREE_BYTES_MIN) return;
    const mib = Math.floor((bavail * bsize) / MIB);
    throw new TaskFailure('pull', `no image is pulled while only ${mib} MiB are free where images are kept`);
  }

  /** Removes the least recently used images until the rest fits. Running tasks keep theirs. */
  async #makeRoom(): Promise<void> {
    const { folder, cacheMib, log } = this.#options;
    const kept: { digest: string; usedMs: number; sizeBytes: number }[] = [];
    for (const name of await readdir(folder)) {
      const digest = `sha256:${name}`;
      const image = DIGEST.test(digest) ? await this.#keptAs(digest) : undefined;
      if (image === undefined) continue;
      const { mtimeMs } = await stat(join(folder, name, 'image.json'));
      kept.push({ digest, usedMs: mtimeMs, sizeBytes: image.sizeBytes });
    }
    let bytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const newest = kept.sort((a, b) => a.usedMs - b.usedMs).pop(); // the one that was pulled just now
    for (const { digest, sizeBytes } of kept) {
      if (bytes <= cacheMib * MIB) return;
      if (digest === newest?.digest || new Set(this.#inUse.values()).has(digest)) continue;
      for (const [name, found] of [...this.#read]) if (found.digest === digest) this.#read.delete(name);
      // Renamed first: a partly removed image must not be taken for a complete one.
      const gone = join(folder, `new-${randomUUID()}`);
      await rename(this.#place(digest), gone);
      await this.#remove(basename(gone));
      bytes -= sizeBytes;
      log.info('image_removed', { digest, sizeBytes });
    }
  }

  async #keptAs(digest: string): Promise<Kept | undefined> {
    const text = await readFile(join(this.#place(digest), 'image.json'), 'utf8').catch(() => undefined);
    // An image that was pulled before programs were checked may have 32-bit ones.
    return text === undefined
      ? undefined
      : { has32BitPrograms: true, ...(JSON.parse(text) as Omit<Kept, 'has32BitPrograms'>) };
  }

  #place(digest: string): string {
    return join(this.#options.folder, digest.slice('sha256:'.length));
  }

  #nameFile(image: string): string {
    return join(this.#options.folder, 'names', createHash('sha256').update(image).digest('hex'));
  }
}

interface Found {
  readonly digest: string;
  readonly facts: ImageFacts;
}

function parse(image: string): ImageReference {
  const reference = parseReference(image);
  if (reference === undefined)
    throw new TaskFailure('pull', `'${image}' is not the name of an image${processHint(image)}`);
  return reference;
}

interface ImageConfig {
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly WorkingDir?: string;
  };
}

/** Reads the facts from the layout that skopeo wrote: one manifest, which refers to its parts by digest. */
async function readFacts(layout: string): Promise<Omit<ImageFacts, 'has32BitPrograms'>> {
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(layout, path), 'utf8'));
  const blob = (digest: string): Promise<unknown> => {
    if (!DIGEST.test(digest)) throw new Error('the image has a part whose digest is not SHA-256');
    return read(join('blobs/sha256', digest.slice('sha256:'.length)));
  };
  const index = (await read('index.json')) as { manifests: { digest: string }[] };
  const manifest = (await blob(index.manifests[0]?.digest ?? '')) as { config: { digest: string } };
  const { config = {} } = (await blob(manifest.config.digest)) as ImageConfig;
  return {
    entrypoint: config.Entrypoint ?? [],
    command: config.Cmd ?? [],
    environment: config.Env ?? [],
    workingDirectory: config.WorkingDir || '/',
  };
}
