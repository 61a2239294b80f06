/** Scans: the service behind their routes. Changes are made by the scan's actor. */
import { type ScanMessage, scanAddress } from '../../actors/scan/scan.messages.ts';
import { isJsonObject, jsonEquals } from '../../domain/document/json-value.ts';
import {
  type ScanConfiguration,
  shownScanConfiguration,
  validateScanConfiguration,
} from '../../domain/scan/scan-config.ts';
import { type Checked, joinProblems, type Problem } from '../../domain/validation.ts';
import type { Evaluator } from '../../evaluator/evaluator.ts';
import type { Asker, Findings, RawBody } from '../../http/route.ts';
import type { System } from '../../kernel/mod.ts';
import { createScan } from '../../store/scan/edit.ts';
import { findScan } from '../../store/scan/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { acceptedConfiguration, below } from '../shared/accepted.ts';
import { afterRequestsForScan } from '../shared/earlier-requests.ts';
import { existing } from '../shared/existing.ts';
import { readsAnswer } from '../shared/idempotency.ts';
import {
  ingestLookups,
  type NamedWorkspaces,
  reachWarnings,
  workspaceIdOf,
} from '../shared/ingest-lookups.ts';
import { newNameProblems } from '../shared/new-names.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';
import { type ScanCreateBody, type ScanDetailsRecord, type ScanEditBody, scanPath } from './schema.ts';

export interface ScanParts {
  readonly sql: Sql;
  readonly evaluator: Pick<Evaluator, 'checkPatterns'>;
  readonly system: Pick<System, 'ask'>;
}

type Document = Readonly<Record<string, unknown>>;

/** limit: how long a caller waits for the list of canceled jobs, which may be long. */
const CANCEL_DEADLINE_MS = 15_000;
const RELOAD = { deadlineMs: ASK_DEADLINE_MS, isRepeatable: true };

/** Resolves with the new scan, which is not started. Throws AppError with every problem of the configuration. */
export async function addScan(
  parts: ScanParts,
  body: ScanCreateBody,
  asker: Asker,
): Promise<ScanDetailsRecord> {
  const { checked, workspaces } = await checkConfiguration(parts, body.configuration);
  const configuration = acceptedConfiguration(checked);
  const { name, title, description = '', labels = {} } = body;
  const workspaceId = workspaceIdOf(workspaces, configuration.workspace);
  const row = { name, title, description, labels, configuration, workspaceId, nowMs: asker.nowMs };
  const answer = readsAnswer(asker, async (tx, made: number) => {
    return { status: 201, location: scanPath(made), record: await scanDetails(tx, made) };
  });
  const id = await createScan(parts.sql, row, answer.also);
  const made = answer.record();
  // A create may bring a deleted scan back, whose actor may still be in memory with its old state.
  if (made.object_version > 1) await parts.system.ask(scanAddress(id), { type: 'reload' }, RELOAD);
  return made;
}

/**
 * Begins at once, or waits for the present run. Throws NOT_FOUND, or as `addScan` if the configuration has become
 * invalid.
 */
export async function processScan(parts: ScanParts, id: number, isIngest: boolean): Promise<void> {
  const { sql, system } = parts;
  const { configuration } = await stored(sql, id);
  // Workspaces and recipe types may have been removed since it was accepted.
  acceptedConfiguration((await checkConfiguration(parts, configuration)).checked);
  await afterRequestsForScan(sql, id);
  const message = { type: 'process', mode: isIngest ? 'ingest' : 'dry_run' } as const;
  await system.ask(scanAddress(id), message, { deadlineMs: ASK_DEADLINE_MS });
}

/** Resolves with the ids of the jobs that are being canceled; the scan's own job comes last. Throws NOT_FOUND. */
export async function cancelScan({ sql, system }: ScanParts, id: number): Promise<readonly number[]> {
  await stored(sql, id);
  await afterRequestsForScan(sql, id);
  const answer = await system.ask(scanAddress(id), { type: 'cancel' }, { deadlineMs: CANCEL_DEADLINE_MS });
  return answer.jobIds;
}

export async function scanDetails(sql: Sql, id: number): Promise<ScanDetailsRecord | undefined> {
  const found = await findScan(sql, id);
  return found === undefined
    ? undefined
    : { ...found, configuration: { ...shownScanConfiguration(found.configuration) } };
}

async function stored(sql: Sql, id: number) {
  return existing(await findScan(sql, id), 'scan', id);
}

/** Throws NOT_FOUND, or as `addScan`. */
export async function changeScan(parts: ScanParts, id: number, body: ScanEditBody): Promise<void> {
  const before = await stored(parts.sql, id);
  const { title, description } = body;
  const message: ScanMessage = {
    type: 'edit',
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(body.labels === undefined ? {} : { labels: body.labels }),
    ...(body.configuration === undefined
      ? {}
      : await changedConfiguration(parts, body.configuration, before.configuration)),
  };
  if (Object.keys(message).length === 1) return;
  await parts.system.ask(scanAddress(id), message, { deadlineMs: ASK_DEADLINE_MS });
}

/** The changed configuration of an edit; undefined if it equals the row's. */
async function changedConfiguration(
  parts: ScanParts,
  document: Document,
  before: ScanConfiguration,
): Promise<{ configuration?: ScanConfiguration; workspaceId?: number }> {
  const { checked, workspaces } = await checkConfiguration(parts, document);
  const configuration = acceptedConfiguration(checked);
  if (jsonEquals(configuration, before)) return {};
  const workspaceId = workspaceIdOf(workspaces, configuration.workspace);
  return { configuration, workspaceId };
}

/** `name`: the scan to be changed. */
export async function checkScan(
  parts: ScanParts,
  document: unknown,
  name: string | undefined,
): Promise<Findings> {
  // The route reports problems of the body's form.
  if (!isJsonObject(document)) return { errors: [], warnings: [] };
  const { checked, workspaces } = await checkConfiguration(parts, document);
  const warnings = [...checked.warnings, ...reachWarnings(workspaces)];
  const found = below('configuration', checked.ok ? { warnings } : { errors: checked.errors, warnings });
  return { ...found, errors: joinProblems(await newNameProblems(parts.sql, 'scan', name), found.errors) };
}

/** The problems of the documents in a body, which may have any form. */
export async function scanDocumentProblems(
  { configuration }: RawBody,
  parts: ScanParts,
): Promise<readonly Problem[]> {
  return (await checkScan(parts, configuration, undefined)).errors;
}

async function checkConfiguration(
  parts: ScanParts,
  document: unknown,
): Promise<{ readonly checked: Checked<ScanConfiguration>; readonly workspaces: NamedWorkspaces }> {
  const { lookups, workspaces } = await ingestLookups(parts, document);
  return { checked: validateScanConfiguration(document, lookups), workspaces };
}
