/**
 * What the agent and its spawner say to each other: orders to supervise one task's command, in bytes that Perl and
 * Node read alike, and answers, a line each: `ready` first, then `started <id> <pid>`,
 * `exited <id> <exit code or 'signal'>` and `failed <id> <error code>`.
 */

export interface SpawnOrder {
  readonly id: number;
  /** Absolute: the task's folder, where the supervisor works and keeps its files. */
  readonly folder: string;
  /** Control groups that the command enters: our own paths, without blanks. */
  readonly controlGroups: readonly string[];
  /** User and group that the command runs as, without any rights; undefined: as whom the agent runs. */
  readonly userId: number | undefined;
  /** A program with its path, or one that the environment's PATH has, and its words. Never empty. */
  readonly argv: readonly string[];
  /** The whole environment of the command. May hold secrets: goes through a socket, never to disk. */
  readonly environment: Readonly<Record<string, string>>;
  /** A line that the supervisor keeps in its file. */
  readonly note: string;
}

const LENGTH_BYTES = 4;

/** Whether it can be told: no word of a command and no variable holds a NUL. */
export function isTellable({ argv, environment }: Omit<SpawnOrder, 'id'>): boolean {
  return ![...argv, ...Object.entries(environment).flat()].some((text) => text.includes('\0'));
}

/** A length and as many bytes: strings, each behind its own length. */
export function encodeOrder(order: SpawnOrder): Buffer {
  const { id, folder, controlGroups, userId, argv, environment, note } = order;
  const user = userId === undefined ? '' : `${userId}`;
  const head = [`${id}`, folder, note, controlGroups.join(' '), user];
  const texts = [...head, `${argv.length}`, ...argv, ...Object.entries(environment).flat()];
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

/** Orders of a stream of bytes. */
export class OrderReader {
  #received = Buffer.alloc(0);

  /** The orders that these bytes complete. */
  read(bytes: Buffer): SpawnOrder[] {
    this.#received = Buffer.concat([this.#received, bytes]);
    const orders: SpawnOrder[] = [];
    for (;;) {
      const length = this.#received.length < LENGTH_BYTES ? undefined : this.#received.readUInt32BE(0);
      if (length === undefined || this.#received.length < LENGTH_BYTES + length) return orders;
      orders.push(decodeOrder(this.#received.subarray(LENGTH_BYTES, LENGTH_BYTES + length)));
      this.#received = this.#received.subarray(LENGTH_BYTES + length);
    }
  }
}

function decodeOrder(bytes: Buffer): SpawnOrder {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const begin = at + LENGTH_BYTES;
    at = begin + bytes.readUInt32BE(at);
    texts.push(bytes.toString('utf8', begin, at));
  }
  const [id = '', folder = '', note = '', groups = '', user = '', words = '', ...rest] = texts;
  const variables = rest.slice(Number(words));
  const environment: Record<string, string> = {};
  for (let at = 0; at < variables.length; at += 2)
    environment[variables[at] as string] = variables[at + 1] as string;
  return {
    id: Number(id),
    folder,
    note,
    controlGroups: groups.split(' ').filter((group) => group !== ''),
    userId: user === '' ? undefined : Number(user),
    argv: rest.slice(0, Number(words)),
    environment,
  };
}
