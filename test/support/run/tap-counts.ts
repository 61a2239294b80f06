/**
 * Counts the assertions of a TAP stream, without the lines that only sum up a subtest. A subtest that failed although
 * all its assertions passed (it timed out, missed its plan, threw) counts as one failure.
 */
import { Parser, type Result } from 'tap-parser';

export interface Failure {
  /** The names of its parents, then its own. */
  readonly path: string;
  readonly diagnostic: unknown;
}

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface TapCounts {
  passed: number;
  /** Assertions that are marked as to do count as skipped, whatever their result. */
  readonly failures: Failure[];
  readonly skipped: Skipped[];
  /** What tests said, in order: their seeds, and the logs of the programs of a test that failed. */
  readonly comments: string[];
}

/** What tap itself says. */
const TAP_COMMENT = /^# (Subtest: |time=|failed \d|skip: |todo: |\{ total: )/;

/** `output` is one file's whole TAP. A stream without a plan, or cut off, is a failure. */
export function countTap(output: string): TapCounts {
  const counts: TapCounts = { passed: 0, failures: [], skipped: [], comments: [] };
  const parser = new Parser();
  listen(parser, [], counts);
  let isOk = false;
  parser.on('complete', (results: { ok: boolean }) => {
    isOk = results.ok;
  });
  parser.end(output);
  const count = counts.passed + counts.failures.length + counts.skipped.length;
  if (!isOk && counts.failures.length === 0) {
    counts.failures.push({ path: '', diagnostic: 'the file ended without a complete result' });
  } else if (count === 0) {
    counts.failures.push({ path: '', diagnostic: 'the file asserts nothing' });
  }
  return counts;
}

function listen(parser: Parser, path: readonly string[], counts: TapCounts): void {
  // The lines of a subtest come before the line of its parent that sums it up.
  let summed: { failuresBefore: number } | undefined;
  parser.on('child', (child: Parser) => {
    summed = { failuresBefore: counts.failures.length };
    listen(child, [...path, child.name], counts);
  });
  parser.on('comment', (line: string) => {
    if (!TAP_COMMENT.test(line)) counts.comments.push(line.replace(/^# ?/, '').trimEnd());
  });
  parser.on('assert', (result: Result) => {
    const child = summed;
    summed = undefined;
    const where = [...path, result.name].filter((part) => part !== '').join(' > ');
    const excuse = result.skip || result.todo;
    if (excuse) counts.skipped.push({ path: where, reason: excuse === true ? '' : excuse });
    else if (child === undefined && result.ok) counts.passed += 1;
    else if (!result.ok && (child === undefined || counts.failures.length === child.failuresBefore)) {
      counts.failures.push({ path: where, diagnostic: result.diag });
    }
  });
}
