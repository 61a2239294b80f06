/**
 * Compresses the texts of answers for clients that take it, on the thread pool of zlib and not on the event loop.
 * Streams, contents of files and answers that set a cookie are not compressed.
 */
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { type HttpResponse, streamOf } from './exchange.ts';

/** Shorter texts are not worth compressing. */
const CHARS_MIN = 1_024;
/** limit: answers that are compressed at once; further ones are sent uncompressed. Four threads share the work. */
const COMPRESSIONS_MAX = 16;
// On pages of 1,000 records these levels take as long as each other (16 ns a byte) and leave a tenth.
const GZIP_LEVEL = 1;
const BROTLI_QUALITY = 1;
/** A window of 2^18 bytes bounds the memory of one compression. */
const BROTLI_WINDOW = 18;

const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const CODERS: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    brotli(bytes, {
      params: {
        [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [zlib.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
        [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  gzip: (bytes) => zip(bytes, { level: GZIP_LEVEL }),
};

/** The value of `Vary` for answers whose bytes depend on `Accept-Encoding`. */
export const VARY = 'accept-encoding';

/** Whether an answer with this text is compressed for a client that takes it. */
export function isCompressible(text: string): boolean {
  return text.length >= CHARS_MIN;
}

let runningCount = 0;

/** The response, as the client's `Accept-Encoding` prefers it. */
export function compressed(
  response: HttpResponse,
  accepted: string | undefined,
): HttpResponse | Promise<HttpResponse> {
  const { body, headers, cookies } = response;
  if (body.kind !== 'text' || cookies !== undefined || !isCompressible(body.text)) return response;
  const varying = { ...response, headers: new Map(headers).set('vary', VARY) };
  const coding = accepted === undefined ? undefined : preferredCoding(accepted);
  if (coding === undefined || runningCount >= COMPRESSIONS_MAX) return varying;
  return withCoding(varying, body.text, coding);
}

async function withCoding(
  response: HttpResponse & { readonly headers: Map<string, string> },
  text: string,
  coding: Coding,
): Promise<HttpResponse> {
  runningCount += 1;
  try {
    const bytes = await CODERS[coding](Buffer.from(text));
    response.headers.set('content-encoding', coding);
    return { ...response, body: { kind: 'stream', stream: streamOf(bytes), length: bytes.byteLength } };
  } finally {
    runningCount -= 1;
  }
}

/** The coding with the highest weight; of several, the first of `CODINGS`. Undefined: none of them is taken. */
export function preferredCoding(accepted: string): Coding | undefined {
  const weights = new Map(accepted.split(',').map(weightOf));
  const others = weights.get('*') ?? 0;
  // `identity` has the highest weight, so the text is not compressed.
  const plain = weights.get('identity') ?? 0;
  let best: Coding | undefined;
  let bestWeight = 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others;
    if (weight > bestWeight && weight >= plain) [best, bestWeight] = [coding, weight];
  }
  return best;
}

/** A malformed weight counts as zero. */
function weightOf(item: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return [coding === 'x-gzip' ? 'gzip' : coding, 1];
  return [
    coding === 'x-gzip' ? 'gzip' : coding,
    /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0,
  ];
}
