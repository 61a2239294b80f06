/**
 * Reads the facts for reports of ingests: files registered at the place of the content, purged content, the recipe to
 * start. Many reports share a read, and one read follows another.
 */
import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import type { LiveIngest } from '../../domain/ingest/ingest-window.ts';
import { call } from '../../kernel/mod.ts';
import type { OwnedIngestResult } from '../owner.messages.ts';
import { type FactsQuestion, type IngestEffect, ingestPorts } from './ingest-effects.ts';

export function currentOf(state: IngestOwnerState, one: OwnedIngestResult): LiveIngest | undefined {
  const { byExecution, live } = state.window;
  const ingestId = byExecution.get(one.update.executionId);
  return ingestId === undefined ? undefined : live.get(ingestId);
}

// limit: reports in one call, which one turn handles.
const REPORTS_AT_ONCE = 500;

export function askFacts(
  state: IngestOwnerState,
  reports: Iterable<OwnedIngestResult>,
): readonly IngestEffect[] {
  const open = state.openFacts as FactsQuestion | null;
  const results: OwnedIngestResult[] = [];
  const waiting = open?.waiting ?? new Map<string, OwnedIngestResult>();
  for (const one of reports) {
    if (open === null && results.length < REPORTS_AT_ONCE) results.push(one);
    // A repeat replaces the report that it repeats.
    else waiting.set(`${one.update.executionId}/${one.nodeId}/${one.spoolId}`, one);
  }
  if (results.length === 0) return [];
  const from = results.filter(isStored).flatMap((one) => {
    const ingest = currentOf(state, one);
    return ingest === undefined ? [] : [{ workspaceId: ingest.workspaceId, filePath: ingest.filePath }];
  });
  const at = results.filter(isStored).flatMap((one) => {
    const workspaceId = workspaceIdOf(state, one);
    return workspaceId === undefined ? [] : [{ workspaceId, filePath: one.update.path }];
  });
  const { recipe } = state.configuration;
  const named = recipe && { name: recipe.name, revisionNum: recipe.revision_num ?? null };
  const args = { at, from, recipe: named ?? null };
  const about: FactsQuestion = { results, waiting };
  state.openFacts = about;
  const outcomes = { done: 'factsRead', failed: 'ingestFactsFailed', evenIfReloaded: true, about } as const;
  return [call(ingestPorts.ingestFacts, args, outcomes)];
}

export function closeFacts(state: IngestOwnerState, question: FactsQuestion): void {
  if (state.openFacts === question) state.openFacts = null;
}

/** Reads the facts of waiting reports. The agents repeat the others. */
export function onFactsFailed(state: IngestOwnerState, question: FactsQuestion): readonly IngestEffect[] {
  closeFacts(state, question);
  return askFacts(state, question.waiting.values());
}

function isStored(one: OwnedIngestResult): boolean {
  return one.update.outcome === 'stored' || one.update.outcome === 'duplicate';
}

export function workspaceIdOf(state: IngestOwnerState, one: OwnedIngestResult): number | undefined {
  return state.workspaces.byUuid.get(one.update.workspaceUuid);
}

export function placeOf(workspaceId: number, filePath: string): string {
  return `${workspaceId}/${filePath}`;
}

/** A key for content at a place. */
export function contentOf(
  place: string,
  { size, sha256 }: { readonly size: number; readonly sha256: string },
): string {
  return `${place}\0${size}/${sha256}`;
}
