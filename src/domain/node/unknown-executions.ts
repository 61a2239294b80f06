/**
 * The warning of a node whose agent ran executions that the database does not know: it was restored from a backup, or
 * their jobs were purged. The coordinator sets it, so offers of the agent keep it.
 */
import type { NodeCondition } from './node.ts';

const NAME = 'UNKNOWN_EXECUTIONS';
/** How long the warning is kept. */
const KEPT_MS = 24 * 3_600_000;
// limit: executions that the warning names.
const NAMED_MAX = 20;

/** The warnings with one about these executions, which replaces an earlier one. */
export function warnOfUnknown(
  warnings: readonly NodeCondition[],
  executionIds: readonly number[],
  nowMs: number,
): readonly NodeCondition[] {
  const named = executionIds.slice(0, NAMED_MAX).join(', ');
  const more = executionIds.length - NAMED_MAX;
  const description =
    `${executionIds.length === 1 ? 'It was' : 'They were'} ended, because the database has no record of ` +
    `${executionIds.length === 1 ? 'it' : 'them'}: ${named}${more > 0 ? ` and ${more} more` : ''}. The database was ` +
    'restored from a backup, or the jobs were purged. Their files may still lie in workspaces';
  const warning = {
    ...{ name: NAME, title: 'Executions Without A Record', description },
    ...{ startedMs: nowMs, lastUpdatedMs: nowMs },
  };
  return [...warnings.filter(({ name }) => name !== NAME), warning];
}

/** Those of the warnings that the coordinator has set and that still hold. */
export function keptWarnings(warnings: readonly NodeCondition[], nowMs: number): readonly NodeCondition[] {
  return warnings.filter(({ name, startedMs }) => name === NAME && Math.abs(nowMs - startedMs) < KEPT_MS);
}
