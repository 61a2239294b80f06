/** The end of what a failed task wrote to standard error, as it is told beside its exit code. */
import { reasonText } from '../../src/domain/reason.ts';
import { readTinySync, taskFileFacts } from '../task-file.ts';

const TAIL_BYTES = 16 * 1024;
const LINES_MAX = 10;
const CHARS_MAX = 1_000;
const MASK = '***';

/** The last lines, without the secrets; '' when there are none to be shown. */
export function stderrTail(path: string, secrets: readonly string[]): string {
  const size = taskFileFacts(path)?.size ?? 0;
  const from = Math.max(0, size - TAIL_BYTES);
  const bytes = size === 0 ? undefined : readTinySync(path, from, size - from);
  let text = bytes?.toString('utf8') ?? '';
  const hidden = partsOf(secrets);
  for (const secret of hidden) text = text.replaceAll(secret, MASK);
  // Where the text is cut there may be the end of a secret whose beginning is not seen.
  if (from > 0 && hidden.length > 0) text = text.slice(beginOfWhole(text));
  const lines = reasonText(text, TAIL_BYTES).trimEnd().split('\n').slice(-LINES_MAX);
  const tail = lines.join('\n').trim();
  return tail.length <= CHARS_MAX ? tail : `…${tail.slice(1 - CHARS_MAX).toWellFormed()}`;
}

/** Where something begins that is no rest of a secret: a line, or a masked secret. The end when nothing does. */
function beginOfWhole(text: string): number {
  const begins = [text.indexOf('\n'), text.indexOf(MASK)].filter((index) => index >= 0);
  return Math.min(text.length, ...begins);
}

/** Longest first: a secret that is part of another leaves nothing of it. A program may show one line of many. */
function partsOf(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]);
  return [...new Set(lines.map((line) => line.trim()))]
    .filter((line) => line !== '')
    .sort((a, b) => b.length - a.length);
}
