/** Ends answers that send no body: the length in their headers, and the stream that is not read. */
import { bodyLength, type HttpResponse } from '../exchange.ts';

/** The Content-Length of an answer without its body. A 204 and a 304 have none. */
export function announcedLength({ status, body }: HttpResponse): number | undefined {
  return status === 204 || status === 304 ? undefined : bodyLength(body);
}

/**
 * The end of the headers of an answer that has no body and is the last on its connection, the empty line included. If
 * the library ends and closes such an answer, it adds a Content-Length of 2^63.
 */
export function lastHeaders(response: HttpResponse): string {
  const length = announcedLength(response);
  const announced = length === undefined ? '' : `\r\ncontent-length: ${length}`;
  return `${announced}\r\ndate: ${new Date().toUTCString()}\r\n`;
}

/** Ends a stream that will not be read, which frees its source. */
export async function discard(stream: AsyncIterable<Uint8Array>): Promise<void> {
  await stream[Symbol.asyncIterator]().return?.();
}

/**
 * Calls `resume` from the event loop. After some native callbacks (seen with onWritable) the library does not run
 * pending promise callbacks, which then wait until something else happens: a stream to the only client stalled. An
 * immediate always runs them.
 */
export function flushSoon(resume: () => void = () => {}): void {
  setImmediate(resume);
}
