/**
 * The protocol between the agent and its spawner: orders to supervise one task's command, in bytes that C and Perl
 * read alike, and answers, one line each. `ready` comes first, then
 *
 * - `started <id> <pid> <ms since 1970>`: the supervisor, and when the command was about to begin;
 * - `ended <id> <exit code> <ms since 1970> <pid> <fault>`: how the command ended, the process that waits for the
 *   next one (0: none), and why the command did not begin, if it did not;
 * - `taken <id>`: another supervisor has the task;
 * - `gone <supervisor>`: that supervisor has ended, whatever it was doing.
 */

/**
 * One step in preparing the file system for a supervisor's tasks; all steps are taken in its own mount namespace, in
 * order. Paths are absolute.
 */
export interface MountStep {
  /**
   * `folder`, `file`: created at `target` unless it exists. `tmpfs`: a file system in memory, `source` is its options.
   * `bind`: `source` with the mounts inside it. `mqueue`: a folder where the supervisor may check for message queues.
   */
  readonly kind: 'folder' | 'file' | 'tmpfs' | 'bind' | 'mqueue';
  readonly source: string;
  readonly target: string;
}

export interface SpawnOrder {
  readonly id: number;
  /** Number of the supervisor for it: a new one if it is larger than all before. */
  readonly supervisor: number;
  /** Absolute: the task's folder, in which the supervisor works and keeps its files. */
  readonly folder: string;
  /** Control groups that the command enters: our own paths, without blanks. */
  readonly controlGroups: readonly string[];
  /** User and group of the command, without capabilities; undefined: those of the agent. */
  readonly userId: number | undefined;
  /** Without any, the command runs in the namespaces of the host. */
  readonly mounts: readonly MountStep[];
  /** A program with its path, or one on the environment's PATH, and its arguments. Never empty. */
  readonly argv: readonly string[];
  /** The complete environment of the command. May contain secrets: sent through a socket, never written to disk. */
  readonly environment: Readonly<Record<string, string>>;
  /** A line that the supervisor stores in its file. */
  readonly note: string;
}

/** A request for a supervisor; the spawner chooses which one. */
export type SuperviseRequest = Omit<SpawnOrder, 'id' | 'supervisor'>;

const LENGTH_BYTES = 4;

/** Whether it can be encoded: no argument and no variable contains a NUL. */
export function isEncodable({ argv, environment }: SuperviseRequest): boolean {
  return ![...argv, ...Object.entries(environment).flat()].some((text) => text.includes('\0'));
}

export function encodeOrder(order: SpawnOrder): Buffer {
  const { id, supervisor, folder, controlGroups, userId, mounts, argv, environment, note } = order;
  const user = userId === undefined ? '' : `${userId}`;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const head = [`${supervisor}`, controlGroups.join(' '), user, encodeMounts(mounts), `${id}`, folder, note];
  return encode([...head, `${argv.length}`, ...argv, ...variables]);
}

/** The message to the spawner that a supervisor is no longer needed. */
export function encodeDismissal(supervisor: number): Buffer {
  return encode([`${supervisor}`, '', '', '', '']);
}

/** Kind, source and target of each, each followed by a NUL. */
export function encodeMounts(mounts: readonly MountStep[]): string {
  return mounts.map(({ kind, source, target }) => `${kind}\0${source}\0${target}\0`).join('');
}

/** Strings, each preceded by its length. */
function encode(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(
    lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, LENGTH_BYTES),
  );
  let at = bytes.writeUInt32BE(bytes.length - LENGTH_BYTES, 0);
  for (const [index, text] of texts.entries()) {
    at = bytes.writeUInt32BE(lengths[index] as number, at);
    at += bytes.write(text, at);
  }
  return bytes;
}
