/** Matches paths against the rules of strikes and scans. */
import { createHash } from 'node:crypto';
import type { IngestRule } from '../domain/ingest/ingest-rule.ts';
import type { Evaluator } from './evaluator.ts';

/** For each path the index of the first rule that matches, or -1. */
export async function matchRules(
  evaluator: Pick<Evaluator, 'matchRules'>,
  rules: readonly IngestRule[],
  paths: readonly string[],
): Promise<readonly number[]> {
  const key = createHash('sha256').update(JSON.stringify(rules)).digest('base64');
  return [...(await evaluator.matchRules({ key, rules }, paths))];
}
