/** How an answer ends that sends no body: what its headers tell, and what becomes of a stream that nobody reads. */
import { bodyLength, type HttpResponse } from '../exchange.ts';

/** The length that an answer without its body tells of. A 204 has none. */
export function announcedLength({ status, body }: HttpResponse): number | undefined {
  return status === 204 ? undefined : bodyLength(body);
}

/**
 * What ends the headers of an answer that has no body and is the last on its connection, the empty line included: the
 * library, asked to end one and close, adds a Content-Length of 2^63.
 */
export function lastHeaders(response: HttpResponse): string {
  const length = announcedLength(response);
  const announced = length === undefined ? '' : `\r\ncontent-length: ${length}`;
  return `${announced}\r\ndate: ${new Date().toUTCString()}\r\n`;
}

/** Ends a stream that nobody will read, so that its source is freed. */
export async function discard(stream: AsyncIterable<Uint8Array>): Promise<void> {
  await stream[Symbol.asyncIterator]().return?.();
}
