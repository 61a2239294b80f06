/** A log as a page for browsers, written while the log is read. Output of jobs is never taken for HTML. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../pages/frame.ts';

/** A piece of a log: whole lines, except the last of its stream. */
export interface LogPiece {
  readonly stream: 'stdout' | 'stderr';
  readonly atMs: number;
  readonly text: string;
}

const STYLE = `:root{color-scheme:light dark}body{margin:1rem}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.stderr{color:light-dark(#b3372f,#f0837b)}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** The output may come from anybody's job, so the page may run, load and send nothing. */
const POLICY = [
  ...['sandbox', "default-src 'none'", `style-src 'sha256-${STYLE_HASH}'`],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'"],
];

export const LOG_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY.join('; '),
  'referrer-policy': 'same-origin',
};

/** Each piece is an element of its stream's class. */
export async function* asHtml(
  executionId: number,
  pieces: AsyncIterable<LogPiece>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Log of execution ${executionId}</title>` +
      `<style>${STYLE}</style></head><body><pre>`,
  );
  for await (const { stream, text } of pieces) {
    yield Buffer.from(`<span class="${stream}">${escapeHtml(text)}</span>`);
  }
  yield Buffer.from('</pre></body></html>\n');
}
