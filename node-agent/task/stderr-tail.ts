/** The end of a failed task's error output, shown next to its exit code. */
import { reasonText } from '../../src/domain/reason.ts';
import { readTinySync, taskFileFacts } from '../task-file.ts';

const TAIL_BYTES = 16 * 1024;
const LINES_MAX = 10;
const CHARS_MAX = 1_000;
const MASK = '***';

/** The last lines, without the secrets; '' if there are none to show. */
export function stderrTail(path: string, secrets: readonly string[]): string {
  const size = taskFileFacts(path)?.size ?? 0;
  const from = Math.max(0, size - TAIL_BYTES);
  const bytes = size === 0 ? undefined : readTinySync(path, from, size - from);
  let text = bytes?.toString('utf8') ?? '';
  const hidden = partsOf(secrets);
  for (const secret of hidden) text = text.replaceAll(secret, MASK);
  // The cut text may begin with the end of a secret whose beginning is cut off.
  if (from > 0 && hidden.length > 0) text = text.slice(beginOfWhole(text));
  const lines = reasonText(text, TAIL_BYTES).trimEnd().split('\n').slice(-LINES_MAX);
  const tail = lines.join('\n').trim();
  return tail.length <= CHARS_MAX ? tail : `…${tail.slice(1 - CHARS_MAX).toWellFormed()}`;
}

/** The first place that cannot be the rest of a secret: a line, or a masked secret; otherwise the end. */
function beginOfWhole(text: string): number {
  const begins = [text.indexOf('\n'), text.indexOf(MASK)].filter((index) => index >= 0);
  return Math.min(text.length, ...begins);
}

/**
 * Longest first, so that no part remains of a secret that contains another. Single lines are included, because a
 * program may show one line of a secret.
 */
function partsOf(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]);
  return [...new Set(lines.map((line) => line.trim()))]
    .filter((line) => line !== '')
    .sort((a, b) => b.length - a.length);
}
