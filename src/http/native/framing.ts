/**
 * Checks the framing of a request: where its body ends. Ambiguous framing is refused, because a proxy in front may have
 * interpreted it differently and would treat the following bytes as another client's request.
 */

const LENGTH = /^\d{1,15}$/;

/** The problem in words; undefined when the framing is unambiguous. Repeated headers are joined by commas. */
export function framingProblem(method: string, headers: ReadonlyMap<string, string>): string | undefined {
  const length = headers.get('content-length');
  if (length !== undefined && !LENGTH.test(length.trim())) return 'Content-Length must be one number';
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return undefined;
  if (coding.trim().toLowerCase() !== 'chunked') return 'Transfer-Encoding must be chunked, or absent';
  if (length !== undefined) return 'Content-Length and Transfer-Encoding exclude each other';
  return method === 'GET' || method === 'HEAD' ? `${method} has no body` : undefined;
}

/** Whether the connection may be reused. The library reads chunk borders, and leniently. */
export function isReusable(headers: ReadonlyMap<string, string>): boolean {
  const length = headers.get('content-length');
  return !headers.has('transfer-encoding') && (length === undefined || LENGTH.test(length.trim()));
}

/**
 * Whether the client wants the connection closed after the answer. The library then closes it, but sends
 * `connection: close` only if the answer has that header. Without it the client would send its next request into a
 * closing connection.
 */
export function asksToClose(headers: ReadonlyMap<string, string>): boolean {
  return headers.get('connection')?.toLowerCase() === 'close';
}
