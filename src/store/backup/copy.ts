/** COPY in both directions, as a stream with bounded memory. */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Session } from './connection.ts';

/** Sends the rows of a query to `receive`, in pieces that are cut anywhere. Returns their number. */
export async function copyOut(
  { client, query }: Session,
  selection: string,
  receive: (chunk: Buffer) => Promise<void>,
): Promise<number> {
  const stream = client.query(copyTo(`copy (${selection}) to stdout`));
  for await (const chunk of stream) await receive(chunk as Buffer);
  await query('select 1'); // the server has reported the number of rows then
  return stream.rowCount;
}

/** Rows on their way into one table. */
export class CopyIn {
  readonly #stream: ReturnType<typeof copyFrom>;
  #failure: Error | undefined;

  constructor({ client }: Session, statement: string) {
    this.#stream = client.query(copyFrom(statement));
    this.#stream.on('error', (error: Error) => {
      this.#failure ??= error;
    });
  }

  async rows(chunk: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#stream.write(chunk)) await once(this.#stream, 'drain');
  }

  /** Resolves with the number of rows once the server has them. */
  async end(): Promise<number> {
    if (this.#failure !== undefined) throw this.#failure;
    const ended = finished(this.#stream, { readable: false });
    this.#stream.end();
    await ended;
    return this.#stream.rowCount;
  }
}
