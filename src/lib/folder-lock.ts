/**
 * One owner for a folder: a lock file with the owner's pid and start time, made atomically with link().
 * A dead owner's lock is taken over. An owner that cannot be seen from here (another container or host on
 * the same volume) counts as alive while it keeps touching its lock. Not a lock between threads.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isAlive, pidSpace } from './process-identity.ts';

export interface LockOwner {
  readonly pid: number;
  readonly startedAt: string;
  readonly space: string;
  readonly host: string;
  /** What the owner said it is, for the message that names it. */
  readonly what: string;
}

export interface FolderLock {
  readonly path: string;
  release(): void;
}

export type LockResult =
  | { readonly ok: true; readonly lock: FolderLock }
  | { readonly ok: false; readonly owner: LockOwner };

/** An owner out of sight touches its lock this often, and is given up after missing several touches. */
const TOUCH_MS = 3_000;
const SILENT_MS = 15_000;
const ATTEMPTS_MAX = 50;

/**
 * Takes `<folder>/<name>`, or says who has it. The folder must exist. Waits only for an owner out of sight.
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
  const text = JSON.stringify({ ...mine, token: randomUUID() });
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    if (create(path, text)) return { ok: true, lock: hold(path, text) };
    const found = readLock(path);
    if (found === undefined) continue;
    if (found.owner !== undefined && isHeld(found.owner, mine.space))
      return { ok: false, owner: found.owner };
    if (found.owner !== undefined && found.owner.space !== mine.space) {
      const silentMs = await silence(path, SILENT_MS);
      if (silentMs < SILENT_MS) return { ok: false, owner: found.owner };
    }
    removeStale(path, found.text);
  }
  throw new Error(`${path} keeps changing: is another program using it?`);
}

/** A complete file appears under the name, or none does: a half-written lock is never seen. */
function create(path: string, text: string): boolean {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, text, { mode: 0o644, flag: 'wx' });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
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
    // Not ours, or cut off by a full disk: nobody holds it.
    return { text, owner: undefined };
  }
}

function isHeld(owner: LockOwner, space: string): boolean {
  return owner.space === space && isAlive({ pid: owner.pid, startedAt: owner.startedAt });
}

/** Watches an owner out of sight: ends early, with less than `enoughMs`, when it touches its lock. */
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

/** Removes the lock only if it is still the stale one: two starters must not remove each other's. */
function removeStale(path: string, staleText: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(aside, 'utf8') !== staleText) {
    try {
      linkSync(aside, path);
    } catch {
      // A third starter took the name meanwhile; whoever lost it finds out at its next touch.
    }
  }
  unlinkSync(aside);
}

function hold(path: string, text: string): FolderLock {
  const touch = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // The folder is gone or read-only: nothing a lock could do about it.
    }
  }, TOUCH_MS);
  touch.unref();
  return {
    path,
    release() {
      clearInterval(touch);
      if (readLock(path)?.text === text) unlinkSync(path);
    },
  };
}
