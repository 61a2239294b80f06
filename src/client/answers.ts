/** Reads answers: never more bytes than the caller allows; refusals become errors. */
import {
  type FailedCall,
  type Problem,
  RefusedError,
  UnreachableError,
  UnusableAnswerError,
} from './errors.ts';

/** A refusal lists at most 100 problems. */
const REFUSAL_BYTES_MAX = 1_048_576;
const DETAIL_CHARS_MAX = 2_000;
const RETRY_AFTER = /^\d{1,9}$/;

/** Reads a whole body of UTF-8. Throws an UnusableAnswerError if it is larger than `bytesMax` or not UTF-8. */
async function readText(call: FailedCall, response: Response, bytesMax: number): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(call, response.body)) {
    bytes += piece.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > bytesMax) {
      throw new UnusableAnswerError(call, `${name(call)}: the answer has more than ${bytesMax} bytes`);
    }
    pieces.push(decoded(call, () => decoder.decode(piece, { stream: true })));
  }
  pieces.push(decoded(call, () => decoder.decode()));
  return pieces.join('');
}

function decoded(call: FailedCall, decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new UnusableAnswerError(call, `${name(call)}: the answer is not UTF-8`);
  }
}

/** The pieces of a body as they arrive. Not every browser can iterate over streams. */
export async function* piecesOf(
  call: FailedCall,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new UnreachableError(call, `${name(call)}: the answer broke off`, { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The JSON of an answer; undefined if it has no body. Throws an UnusableAnswerError for anything else. */
export async function readJson(call: FailedCall, response: Response, bytesMax: number): Promise<unknown> {
  const text = await readText(call, response, bytesMax);
  if (text === '') return undefined;
  if (!isJson(response)) {
    throw new UnusableAnswerError(call, `${name(call)}: the answer is not JSON: is this a Millrace service?`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableAnswerError(call, `${name(call)}: the answer is not valid JSON`);
  }
}

/** The error for an answer of 400 or above. */
export async function refusalOf(call: FailedCall, response: Response): Promise<RefusedError> {
  const { status, headers } = response;
  const body = isJson(response)
    ? await readJson(call, response, REFUSAL_BYTES_MAX).catch(() => undefined)
    : undefined;
  if (body === undefined) response.body?.cancel().catch(() => undefined);
  const document = isObject(body) ? body : {};
  const detail = document.detail;
  return new RefusedError(call, {
    status,
    code: typeof document.code === 'string' ? document.code : `HTTP_${status}`,
    detail:
      typeof detail === 'string' ? detail.slice(0, DETAIL_CHARS_MAX) : `the answer has the status ${status}`,
    problems: Array.isArray(document.errors) ? document.errors.flatMap(problemOf) : [],
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  });
}

/** `Retry-After` in ms; the service sends seconds, proxies may send dates, which are ignored. */
function retryAfterMs(value: string | null): number | undefined {
  return value !== null && RETRY_AFTER.test(value) ? Number(value) * 1_000 : undefined;
}

function problemOf(value: unknown): Problem[] {
  if (!isObject(value)) return [];
  const { name, description, path } = value;
  return [{ name: text(name), description: text(description), path: text(path) }];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether a value of JSON is an object, and neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson({ headers }: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '');
}

/** The call as text, with which messages of errors begin. */
export function name({ method, path }: FailedCall): string {
  return `${method} ${path}`;
}
