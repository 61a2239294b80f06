/** Applies the rules of a strike or scan to a complete file. */

import type { ArrivalRecord } from './ingest.ts';
import { applyRule, type IngestRule, noRuleReason } from './ingest-rule.ts';

export type RuleResult = Pick<ArrivalRecord, 'tags' | 'newWorkspaceId' | 'newFilePath' | 'reason'> & {
  readonly status: 'TRANSFERRED' | 'DEFERRED';
};

/** `ruleIndex`: of the first rule that matches, or -1. `activeIds`: of active workspaces, by name. */
export function applyRules(
  rules: readonly IngestRule[],
  activeIds: ReadonlyMap<string, number>,
  path: string,
  ruleIndex: number,
  nowMs: number,
): RuleResult {
  const deferred = { status: 'DEFERRED', tags: [], newWorkspaceId: null, newFilePath: null } as const;
  const rule = rules[ruleIndex];
  if (rule === undefined) return { ...deferred, reason: noRuleReason(rules, path) };
  const effect = applyRule(rule, path, nowMs);
  if (effect === undefined) return { ...deferred, reason: 'the new path would be too long' };
  const { newWorkspace } = effect;
  const targetId = newWorkspace === undefined ? undefined : activeIds.get(newWorkspace);
  if (newWorkspace !== undefined && targetId === undefined) {
    return { ...deferred, reason: `the workspace '${newWorkspace}' is not active` };
  }
  return {
    status: 'TRANSFERRED',
    tags: effect.dataTypes,
    newWorkspaceId: targetId ?? null,
    newFilePath: effect.newFilePath ?? null,
    reason: null,
  };
}
