/**
 * Ends answers that have no body to send: what their headers announce, and what happens to a stream that nobody reads.
 */
import { bodyLength, type HttpResponse } from '../exchange.ts';

/** The length that an answer without its body announces. A 204 announces none; that of a 304 would be the record's. */
export function announcedLength({ status, body }: HttpResponse): number | undefined {
  return status === 204 || status === 304 ? undefined : bodyLength(body);
}

/**
 * The end of the headers of an answer that has no body and is the last on its connection, the empty line included.
 * Asked to end and close such an answer, the library adds a Content-Length of 2^63.
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
