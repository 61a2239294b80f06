/**
 * Gives a folder one owner: a lock file with the owner's pid and start time, made atomically with link(). A dead
 * owner's lock is taken over. An owner that cannot be seen from here (in another container or on another host with the
 * same volume) counts as alive while it keeps touching its lock. Not a lock between threads.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isAlive, pidSpace } from './process-identity.ts';

export interface LockOwner {
  readonly pid: number;
  readonly startedAt: string;
  readonly space: string;
  readonly host: string;
  /** The owner's description of itself, for the message that names it. */
  readonly what: string;
}

export interface FolderLock {
  readonly path: string;
  release(): void;
}

export type LockResult =
  | { readonly ok: true; readonly lock: FolderLock }
  | { readonly ok: false; readonly owner: LockOwner };

/** How often an owner that others can't see touches its lock. It counts as dead after missing several touches. */
const TOUCH_MS = 3_000;
const SILENT_MS = 15_000;
const ATTEMPTS_MAX = 50;
/** The fixed size of a lock file: less than a block of any disk. */
const FILE_BYTES = 1_024;
/** The longest time between making a draft and using it. */
const DRAFT_MS_MAX = 60_000;

/**
 * Takes `<folder>/<name>`, or returns its owner. The folder must exist. Waits only for an owner that can't be seen from
 * here.
 *
 * The file is made once. When released it is renamed `<name>.spare`, and the next owner overwrites it in place, so
 * later starts need no room on the disk. The first start throws ENOSPC when the disk is full, and leaves nothing.
 */
export async function lockFolder(folder: string, name: string, what: string): Promise<LockResult> {
  const path = join(folder, name);
  const self = identifyProcess(process.pid);
  const mine: LockOwner = {
    pid: process.pid,
    startedAt: self?.startedAt ?? '',
    space: pidSpace(),
    host: hostname(),
    what,
  };
  const text = `${JSON.stringify({ ...mine, token: randomUUID() }).padEnd(FILE_BYTES - 1)}\n`;
  const draft = new Draft(path);
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const found = readLock(path);
      if (found === undefined) {
        if (!draft.take(text)) continue;
        removeOldDrafts(folder, name);
        return { ok: true, lock: hold(path, text) };
      }
      if (found.owner !== undefined && isHeld(found.owner, mine.space)) {
        return { ok: false, owner: found.owner };
      }
      if (found.owner !== undefined && found.owner.space !== mine.space) {
        const silentMs = await silence(path, SILENT_MS);
        if (silentMs < SILENT_MS) return { ok: false, owner: found.owner };
      }
      draft.takeStale(found.text);
    }
  } finally {
    draft.drop();
  }
  throw new Error(`${path} keeps changing: is another program using it?`);
}

/** A file that is to become the lock: it appears under the name complete, or not at all. */
class Draft {
  readonly #lock: string;
  readonly #path: string;

  constructor(lock: string) {
    this.#lock = lock;
    this.#path = `${lock}.${randomUUID()}`;
  }

  /** Returns whether it is the lock now; false when another owner has it. */
  take(text: string): boolean {
    if (!this.#isOwn() && !moved(spareOf(this.#lock), this.#path)) {
      closeSync(openSync(this.#path, 'wx', 0o644));
    }
    const file = openSync(this.#path, 'r+');
    try {
      // Overwritten in place: its blocks are on the disk already.
      writeSync(file, text, 0);
      ftruncateSync(file, text.length);
    } finally {
      closeSync(file);
    }
    try {
      linkSync(this.#path, this.#lock);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Removes the lock if it is still the stale one, so that two starters never remove each other's. */
  takeStale(staleText: string): void {
    const aside = `${this.#lock}.${randomUUID()}`;
    if (!moved(this.#lock, aside)) return;
    if (readFileSync(aside, 'utf8') !== staleText) {
      try {
        linkSync(aside, this.#lock);
      } catch {
        // A third starter took the name meanwhile; the one that lost it notices at its next touch.
      }
      unlinkSync(aside);
      return;
    }
    // A file with another name still belongs to somebody.
    if (this.#isOwn() || statSync(aside).nlink > 1) unlinkSync(aside);
    else renameSync(aside, this.#path);
  }

  /** A draft that has become the lock loses its first name; any other becomes the spare file. */
  drop(): void {
    const links = statSync(this.#path, { throwIfNoEntry: false })?.nlink ?? 0;
    if (links === 0) return;
    const isUsable = links === 1 && statSync(this.#path).size === FILE_BYTES;
    if (isUsable && readLock(spareOf(this.#lock)) === undefined) renameSync(this.#path, spareOf(this.#lock));
    else unlinkSync(this.#path);
  }

  #isOwn(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.nlink === 1;
  }
}

function spareOf(path: string): string {
  return `${path}.spare`;
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Removes the drafts of starters that were killed. */
function removeOldDrafts(folder: string, name: string): void {
  for (const one of readdirSync(folder)) {
    const path = join(folder, one);
    if (!one.startsWith(`${name}.`) || path === spareOf(join(folder, name))) continue;
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts !== undefined && Date.now() - facts.mtimeMs > DRAFT_MS_MAX) rmSync(path, { force: true });
  }
}

function readLock(path: string): { text: string; owner: LockOwner | undefined } | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const owner = JSON.parse(text) as LockOwner;
    return { text, owner: typeof owner.pid === 'number' ? owner : undefined };
  } catch {
    // Not a lock of ours, or cut off by a full disk: nobody has it.
    return { text, owner: undefined };
  }
}

function isHeld(owner: LockOwner, space: string): boolean {
  return owner.space === space && isAlive({ pid: owner.pid, startedAt: owner.startedAt });
}

/**
 * Watches for touches of an owner that can't be seen. Returns the silent time: less than `enoughMs` if it touched its
 * lock.
 */
async function silence(path: string, enoughMs: number): Promise<number> {
  const begin = performance.now();
  const first = modifiedMs(path);
  while (performance.now() - begin < enoughMs) {
    await sleep(500);
    if (modifiedMs(path) !== first) return 0;
  }
  return enoughMs;
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function hold(path: string, text: string): FolderLock {
  const touch = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // The folder is gone or read-only, which a lock cannot help.
    }
  }, TOUCH_MS);
  touch.unref();
  return {
    path,
    release() {
      clearInterval(touch);
      if (readLock(path)?.text === text) renameSync(path, spareOf(path));
    },
  };
}
