/**
 * Has agents check whether they reach a place for a workspace. All online agents check at the same time, without
 * writing. Agents that do not answer within two seconds are reported as such.
 */
import { randomUUID } from 'node:crypto';
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import type { WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { Problem } from '../../domain/validation.ts';
import { markRefusalOf } from '../../domain/workspace/unmarked.ts';
import { KernelError, type System } from '../../kernel/mod.ts';
import { type OnlineNode, onlineNodes } from '../../store/node/list.ts';
import type { Sql } from '../../store/sql/sql.ts';

export interface PlaceCheckParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ask'>;
}

/** How long an agent may take for a check. */
const CHECK_MS = 2_000;
// limit: agents that check, those with the lowest ids.
const NODES_MAX = 100;
// limit: nodes that one sentence names.
const NAMED_MAX = 5;

/** `reason`: why the node does not reach the place; '' if it does, undefined if it has not answered. */
interface PlaceCheck {
  readonly hostname: string;
  readonly reason: string | undefined;
}

/** Warnings about a place: that no node reaches it, with the answer of each, and which nodes did not answer. */
export async function placeCheckWarnings(
  parts: PlaceCheckParts,
  place: WorkspaceRef,
): Promise<readonly Problem[]> {
  const nodes = await onlineNodes(parts.sql, NODES_MAX);
  const checks = await Promise.all(nodes.map((node) => checkFrom(parts, node, place)));
  const silent = checks.filter(({ reason }) => reason === undefined);
  const refused = checks.filter(({ reason }) => reason !== undefined && reason !== '');
  const path = 'broker';
  const warnings: Problem[] = [];
  if (nodes.length === 0) {
    const description = 'no agent is connected that could check it: its files wait until one reaches it';
    warnings.push({ name: 'UNREACHABLE_WORKSPACE', description, path });
  } else if (refused.length > 0 && refused.length + silent.length === checks.length) {
    const description = `no agent reaches it: ${inWords(refused)}`;
    warnings.push({ name: 'UNREACHABLE_WORKSPACE', description, path });
  }
  if (silent.length > 0) {
    const description = `${named(silent)} did not answer within ${CHECK_MS / 1_000} s whether it is there`;
    warnings.push({ name: 'NO_ANSWER', description, path });
  }
  return warnings;
}

async function checkFrom(
  { system }: PlaceCheckParts,
  { id, hostname }: OnlineNode,
  workspace: WorkspaceRef,
): Promise<PlaceCheck> {
  const message: NodeMessage = { type: 'lookAt', requestId: randomUUID(), workspace };
  try {
    const answer = await system.ask(nodeAddress(id), message, { deadlineMs: CHECK_MS });
    // A directory without a marker gets one once the workspace exists, if the agent may write there.
    const isThere = answer.isReachable || (answer.isUnmarked && markRefusalOf(answer) === undefined);
    return { hostname, reason: isThere ? '' : answer.reason || 'it is not reached' };
  } catch (error) {
    // No answer in time, or its agent or coordinator has just disconnected: there is no result.
    if (error instanceof KernelError) return { hostname, reason: undefined };
    throw error;
  }
}

/** Each reason once, with the nodes that gave it. */
function inWords(checks: readonly PlaceCheck[]): string {
  const byReason = Map.groupBy(checks, ({ reason }) => reason);
  const sentences = [...byReason].slice(0, NAMED_MAX).map(([reason, group]) => `${named(group)}: ${reason}`);
  const more = byReason.size - sentences.length;
  return [...sentences, ...(more > 0 ? [`and ${more} other reasons`] : [])].join('; ');
}

function named(checks: readonly PlaceCheck[]): string {
  const names = checks.slice(0, NAMED_MAX).map(({ hostname }) => hostname);
  const more = checks.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
