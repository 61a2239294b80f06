/**
 * Where the body of a request ends. What could be read in two ways is refused: a proxy in front may have read it the
 * other way, and would take what follows for somebody else's request.
 */

const LENGTH = /^\d{1,15}$/;

/** What is wrong, in words; undefined when there is one way to read it. Headers sent twice are joined by commas. */
export function framingProblem(method: string, headers: ReadonlyMap<string, string>): string | undefined {
  const length = headers.get('content-length');
  if (length !== undefined && !LENGTH.test(length.trim())) return 'Content-Length must be one number';
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return undefined;
  if (coding.trim().toLowerCase() !== 'chunked') return 'Transfer-Encoding must be chunked, or absent';
  if (length !== undefined) return 'Content-Length and Transfer-Encoding exclude each other';
  return method === 'GET' || method === 'HEAD' ? `${method} has no body` : undefined;
}

/** Whether more may come on the connection. Borders between chunks are the library's to read, and it is lenient. */
export function isReusable(headers: ReadonlyMap<string, string>): boolean {
  const length = headers.get('content-length');
  return !headers.has('transfer-encoding') && (length === undefined || LENGTH.test(length.trim()));
}

/**
 * Whether the client wants the connection closed after the answer. The library closes then, and tells so only where it
 * was asked by an answer: a client that is not told sends its next request into the end of the connection.
 */
export function asksToClose(headers: ReadonlyMap<string, string>): boolean {
  return headers.get('connection')?.toLowerCase() === 'close';
}
