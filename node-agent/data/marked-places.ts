/**
 * The mount points below which this agent has found the marked directories of workspaces. When such a file system is
 * not mounted any more, the directory that remains at the path is another one, and is not marked again.
 */
import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { listMounts } from '../../src/storage/mounts.ts';

// limit: places kept; the oldest are dropped first.
const PLACES_MAX = 10_000;

interface Place {
  readonly root: string;
  readonly mount: string;
}

export class MarkedPlaces {
  readonly #path: string;
  readonly #places: Map<string, Place>;
  #isChanged = false;

  private constructor(path: string, places: Map<string, Place>) {
    this.#path = path;
    this.#places = places;
  }

  static async open(path: string): Promise<MarkedPlaces> {
    return new MarkedPlaces(path, await readPlaces(path));
  }

  /** The mount point of the file system that holds the directory; undefined if the host cannot tell. */
  async mountOf(root: string): Promise<string | undefined> {
    try {
      const [directory, mounts] = await Promise.all([realpath(root), listMounts()]);
      const above = mounts.map(({ place }) => place).filter((place) => isWithin(directory, place));
      return above.toSorted((one, other) => other.length - one.length)[0];
    } catch {
      return undefined; // no such directory, or no /proc
    }
  }

  /** The mount point that the marked directory was below, if the directory is `now` on the file system below that. */
  goneFrom(uuid: string, root: string, now: string | undefined): string | undefined {
    const place = this.#places.get(uuid);
    if (place?.root !== root || now === undefined || place.mount === now) return undefined;
    return isWithin(place.mount, now) ? place.mount : undefined;
  }

  keep(uuid: string, root: string, mount: string | undefined): void {
    const place = this.#places.get(uuid);
    if (mount === undefined || (place?.root === root && place.mount === mount)) return;
    this.#places.set(uuid, { root, mount });
    this.#isChanged = true;
  }

  /** Writes what has changed; what could not be written, as on a full disk, is tried again by the next call. */
  async save(): Promise<void> {
    if (!this.#isChanged) return;
    try {
      const places = [...this.#places].slice(-PLACES_MAX);
      await writeFile(`${this.#path}.new`, JSON.stringify(places), { mode: 0o600 });
      await rename(`${this.#path}.new`, this.#path);
      this.#isChanged = false;
    } catch {
      // it stays changed
    }
  }
}

/** What cannot be read counts as nothing: the places are found again as soon as they are reached. */
async function readPlaces(path: string): Promise<Map<string, Place>> {
  try {
    return new Map(JSON.parse(await readFile(path, 'utf8')) as [string, Place][]);
  } catch {
    return new Map();
  }
}

function isWithin(directory: string, mount: string): boolean {
  return mount === '/' || directory === mount || directory.startsWith(`${mount}/`);
}
