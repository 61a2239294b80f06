/**
 * Watches all file calls of this process: how many begin in one turn of the event loop, how many names one call
 * returns, how many bytes it reads, and which calls use forbidden paths.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CALLS = [
  ...['access', 'appendFile', 'chmod', 'chown', 'copyFile', 'cp', 'lchown', 'link', 'lstat', 'mkdir', 'open'],
  ...['opendir', 'readFile', 'readdir', 'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'stat', 'statfs'],
  ...['symlink', 'truncate', 'unlink', 'utimes', 'writeFile'],
] as const;
/** Calls that neither follow a link in the last component nor open a file. */
const LOOKS = new Set(['lstat', 'mkdir', 'rmdir', 'unlink', 'rename', 'link', 'lchown', 'readlink']);
const { O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY, O_EXCL } = fs.constants;
const O_PATH = 0o10000000;

type Call = (...given: unknown[]) => unknown;
type Holder = Record<string, Call>;

export class FileCalls {
  /** The most calls that began in one turn of the event loop. */
  perTurnMax = 0;
  /** The most names that one call has returned. */
  namesMax = 0;
  /** The most bytes that one read has requested. */
  readMax = 0;
  count = 0;
  /**
   * Forbidden calls: below the watched folders, calls whose path is more than an open directory and one name in it, or
   * that follow links; and recursive calls, wherever they are.
   */
  readonly byPath: string[] = [];
  readonly #isWatched: (path: string) => boolean;
  readonly #restore: (() => void)[] = [];
  #inTurn = 0;

  /** `isWatched`: whether a path is below a folder in which files may not be accessed by path. */
  constructor(isWatched: (path: string) => boolean) {
    this.#isWatched = isWatched;
    for (const name of CALLS) {
      this.#watch(fs.promises as unknown as Holder, name, name);
      this.#watch(fs as unknown as Holder, `${name}Sync`, name);
    }
    syncBuiltinESMExports();
  }

  /** Watches reads of open files too. Their methods are found through any handle. */
  async watchReads(): Promise<void> {
    const handle = await fs.promises.open('/dev/null');
    const prototype = Object.getPrototypeOf(handle) as Holder;
    await handle.close();
    const { read } = prototype;
    const note = (bytes: number): void => {
      this.readMax = Math.max(this.readMax, bytes);
    };
    prototype.read = function (this: unknown, ...given: unknown[]) {
      note(typeof given[2] === 'number' ? given[2] : 0);
      return read?.apply(this, given);
    };
    this.#restore.push(() => Object.assign(prototype, { read }));
  }

  stop(): void {
    for (const restore of this.#restore) restore();
    syncBuiltinESMExports();
  }

  #watch(holder: Holder, method: string, name: string): void {
    const original = holder[method];
    if (original === undefined) return;
    holder[method] = (...given) => {
      this.#note(name, given);
      const made = original.apply(holder, given);
      // The host's numbers of processes, devices and control groups do not depend on tasks.
      if (name === 'readdir' && !/^\/(dev|sys|proc)(?!\/self\/fd\/)/.test(String(given[0])))
        void Promise.resolve(made).then((names) => this.#noteNames(names), ignored);
      return made;
    };
    this.#restore.push(() => Object.assign(holder, { [method]: original }));
  }

  #note(name: string, given: readonly unknown[]): void {
    this.count += 1;
    if (this.#inTurn === 0) setImmediate(() => (this.#inTurn = 0));
    this.#inTurn += 1;
    this.perTurnMax = Math.max(this.perTurnMax, this.#inTurn);
    const paths =
      name === 'link' || name === 'rename' || name === 'copyFile' ? given.slice(0, 2) : [given[0]];
    const follows = name === 'open' ? !isSafeOpen(given[1]) : !LOOKS.has(name);
    if (given.some((one) => (one as { recursive?: boolean } | null)?.recursive === true) && name !== 'mkdir')
      this.byPath.push(`${name} ${given[0]}, recursive`);
    for (const path of paths) {
      const text = path instanceof Buffer ? path.toString('latin1') : String(path);
      if (text.startsWith('/proc/self/fd/')) {
        // The open file itself, or one name in an open directory.
        const [, ...names] = text.slice('/proc/self/fd/'.length).split('/');
        const isOne = names.length === 0 || (names.length === 1 && (!follows || name === 'copyFile'));
        if (!isOne) this.byPath.push(`${name} ${text}`);
      } else if (this.#isWatched(text)) this.byPath.push(`${name} ${text}`);
    }
  }

  #noteNames(names: unknown): void {
    this.namesMax = Math.max(this.namesMax, Array.isArray(names) ? names.length : 0);
  }
}

/** Whether the open follows no link in the last component, and does not block. */
function isSafeOpen(flags: unknown): boolean {
  if (typeof flags !== 'number' || (flags & O_NOFOLLOW) === 0) return false;
  return (flags & (O_NONBLOCK | O_DIRECTORY | O_EXCL | O_PATH)) !== 0;
}

function ignored(): void {}
