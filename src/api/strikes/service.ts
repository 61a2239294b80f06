/** Strikes: the service behind their routes. Changes are made by the strike's actor. */
import { type StrikeMessage, strikeAddress } from '../../actors/strike/strike.messages.ts';
import { isJsonObject, jsonEquals } from '../../domain/document/json-value.ts';
import { mentionsOf } from '../../domain/ingest/ingest-rule.ts';
import {
  maskedStrikeConfiguration,
  type StrikeConfiguration,
  unmaskedStrikeConfiguration,
  validateStrikeConfiguration,
} from '../../domain/strike/strike-config.ts';
import { type Checked, joinProblems, type Problem } from '../../domain/validation.ts';
import { watchedWarnings } from '../../domain/workspace/overlap.ts';
import type { Evaluator } from '../../evaluator/evaluator.ts';
import type { Asker, Findings, RawBody } from '../../http/route.ts';
import type { System } from '../../kernel/mod.ts';
import { refuseAbsent } from '../../store/deletion/kinds.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { createStrike } from '../../store/strike/edit.ts';
import { deferredCount, findStrike, watchedPlaces } from '../../store/strike/list.ts';
import type { Parts } from '../parts.ts';
import { acceptedConfiguration, below, invalidConfiguration } from '../shared/accepted.ts';
import { afterRequestsForStrike } from '../shared/earlier-requests.ts';
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
import { estimateOf, type WorkEstimate, workOf } from '../shared/work-estimate.ts';
import {
  leftoverMasks,
  withEncryptedCredentials,
  withOpenedCredentials,
} from '../workspaces/encrypted-credentials.ts';
import {
  type StrikeCreateBody,
  type StrikeDetailsRecord,
  type StrikeEditBody,
  strikePath,
} from './schema.ts';

export interface StrikeParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly evaluator: Pick<Evaluator, 'checkPatterns'>;
  readonly system: Pick<System, 'tell' | 'ask'>;
  /** Whether this installation has a NATS server to read notifications from. */
  readonly hasNats: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** The purpose under which credentials of monitors are encrypted. */
export const STRIKE_CREDENTIALS = 'strike credentials';
const RELOAD = { deadlineMs: ASK_DEADLINE_MS, isRepeatable: true };

/** Resolves with the new strike, its job queued. Throws AppError with every problem of the configuration. */
export async function addStrike(
  parts: StrikeParts,
  body: StrikeCreateBody,
  asker: Asker,
): Promise<{ readonly made: StrikeDetailsRecord; readonly warnings: readonly Problem[] }> {
  const { sql, encryption, system } = parts;
  const { checked, workspaces } = await checkConfiguration(parts, body.configuration);
  const configuration = acceptedConfiguration(checked);
  refuseMasks(configuration);
  const { name, title, description = '', labels = {} } = body;
  const row = {
    ...{ name, title, description, labels, nowMs: asker.nowMs },
    configuration: withEncryptedSecrets(encryption, configuration),
    workspaceId: workspaceIdOf(workspaces, configuration.workspace),
  };
  const { warnings } = below('configuration', {
    warnings: await sharedWarnings(sql, configuration.workspace, workspaces, undefined),
  });
  const answer = readsAnswer(asker, async (tx, made: number) => {
    return { status: 201, location: strikePath(made), warnings, record: await strikeDetails(tx, made) };
  });
  const id = await createStrike(sql, row, answer.also);
  const made = answer.record();
  // A create may bring a deleted strike back, whose actor may still be in memory with its old state.
  if (made.object_version > 1) await system.ask(strikeAddress(id), { type: 'reload' }, RELOAD);
  // poll: the reconciliation of strikes wakes every one of them.
  system.tell(strikeAddress(id), { type: 'wake' });
  return { made, warnings };
}

/** The strike, its secrets masked; undefined if there is none. */
export async function strikeDetails(sql: Sql, id: number): Promise<StrikeDetailsRecord | undefined> {
  const found = await findStrike(sql, id);
  return found === undefined
    ? undefined
    : { ...found, configuration: { ...maskedStrikeConfiguration(found.configuration) } };
}

/** Resolves with warnings. Throws NOT_FOUND, or as `addStrike`. */
export async function changeStrike(
  parts: StrikeParts,
  id: number,
  body: StrikeEditBody,
): Promise<readonly Problem[]> {
  const stored = existing(await findStrike(parts.sql, id), 'strike', id);
  const { title, description, is_paused: isPaused } = body;
  const { warnings, ...changed } =
    body.configuration === undefined
      ? { warnings: [] }
      : await changedConfiguration(parts, body.configuration, stored);
  const message: StrikeMessage = {
    type: 'edit',
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(isPaused === undefined ? {} : { isPaused }),
    ...(body.labels === undefined ? {} : { labels: body.labels }),
    ...changed,
  };
  if (Object.keys(message).length === 1) return [];
  if (isPaused === false && body.configuration === undefined)
    await refuseAbsentNames(parts.sql, stored.configuration);
  if (isPaused !== undefined) await afterRequestsForStrike(parts.sql, id);
  await parts.system.ask(strikeAddress(id), message, { deadlineMs: ASK_DEADLINE_MS });
  return warnings;
}

/** Throws CONFLICT if a workspace or recipe type that the strike names is deleted. */
async function refuseAbsentNames(sql: Sql, configuration: StrikeConfiguration): Promise<void> {
  const { workspaces, recipeType } = mentionsOf(configuration);
  const recipeTypeNames = recipeType === undefined ? [] : [recipeType];
  await refuseAbsent(sql, { workspaceNames: workspaces, recipeTypeNames });
}

/** The changed configuration of an edit; undefined if it equals the row's. The watched workspace may change. */
async function changedConfiguration(
  parts: StrikeParts,
  document: Document,
  stored: { readonly name: string; readonly configuration: StrikeConfiguration },
): Promise<{
  configuration?: StrikeConfiguration;
  workspaceId?: number;
  readonly warnings: readonly Problem[];
}> {
  const { checked, workspaces } = await checkConfiguration(parts, document);
  const kept = opened(parts.encryption, stored.configuration);
  const configuration = unmaskedStrikeConfiguration(acceptedConfiguration(checked), kept);
  refuseMasks(configuration);
  if (jsonEquals(configuration, kept)) return { warnings: [] };
  const shared =
    configuration.workspace === kept.workspace
      ? []
      : await sharedWarnings(parts.sql, configuration.workspace, workspaces, stored.name);
  return {
    warnings: below('configuration', { warnings: shared }).warnings,
    configuration: withEncryptedSecrets(parts.encryption, configuration),
    workspaceId: workspaceIdOf(workspaces, configuration.workspace),
  };
}

/** Warnings about other strikes that watch the same place. `name`: that of this strike; undefined for a new one. */
async function sharedWarnings(
  sql: Sql,
  workspaceName: string,
  workspaces: NamedWorkspaces,
  name: string | undefined,
): Promise<readonly Problem[]> {
  const workspace = workspaces.get(workspaceName);
  if (workspace === undefined) return [];
  const { broker } = workspace.configuration;
  const others = (await watchedPlaces(sql)).filter(({ strike }) => strike !== name);
  return watchedWarnings({ name: workspaceName, broker }, others);
}

/** `name`: the strike to be changed. */
export async function checkStrike(
  parts: StrikeParts,
  document: unknown,
  name: string | undefined,
): Promise<Findings> {
  // The route reports problems of the body's form.
  if (!isJsonObject(document)) return { errors: [], warnings: [] };
  const { checked, workspaces } = await checkConfiguration(parts, document);
  const shared = checked.ok ? await sharedWarnings(parts.sql, checked.value.workspace, workspaces, name) : [];
  const warnings = [...checked.warnings, ...reachWarnings(workspaces), ...shared];
  const found = below('configuration', checked.ok ? { warnings } : { errors: checked.errors, warnings });
  return { ...found, errors: joinProblems(await newNameProblems(parts.sql, 'strike', name), found.errors) };
}

export interface StrikeEffects {
  readonly deferred_files: number;
  readonly one_file: (WorkEstimate & { readonly recipe_type: object }) | null;
}

/**
 * What the strike would do with a file, and how many files would be tried again. `configuration` has to be valid.
 * `name`: that of the strike that would be edited; undefined for a new one.
 */
export async function strikeEffects(
  { sql, revisions }: Parts<'sql' | 'revisions'>,
  name: string | undefined,
  configuration: unknown,
): Promise<StrikeEffects> {
  const { recipe } = (isJsonObject(configuration) ? configuration : {}) as Partial<StrikeConfiguration>;
  const [deferred, revision] = await Promise.all([
    name === undefined ? 0 : deferredCount(sql, name),
    recipe === undefined
      ? undefined
      : revisions.currentRecipeRevision(recipe.name, Number(recipe.revision_num) || null),
  ]);
  if (revision === undefined) return { deferred_files: deferred, one_file: null };
  const { recipeTypeId: id, recipeTypeName, revisionNum } = revision;
  const recipe_type = { id, name: recipeTypeName, revision_num: revisionNum };
  return {
    deferred_files: deferred,
    one_file: { recipe_type, ...(await estimateOf(sql, workOf(revision))) },
  };
}

/** The problems of the documents in a body, which may have any form. */
export async function strikeDocumentProblems(
  { configuration }: RawBody,
  parts: StrikeParts,
): Promise<readonly Problem[]> {
  return (await checkStrike(parts, configuration, undefined)).errors;
}

interface CheckedStrike {
  readonly checked: Checked<StrikeConfiguration>;
  readonly workspaces: NamedWorkspaces;
}

async function checkConfiguration(parts: StrikeParts, document: unknown): Promise<CheckedStrike> {
  const { lookups, workspaces } = await ingestLookups(parts, document);
  const { hasNats } = parts;
  return { checked: validateStrikeConfiguration(document, { ...lookups, hasNats }), workspaces };
}

function refuseMasks({ monitor }: StrikeConfiguration): void {
  const errors = leftoverMasks(monitor, 'configuration.monitor', 'INVALID_MONITOR_CONFIGURATION');
  if (errors.length > 0) throw invalidConfiguration(errors);
}

function withEncryptedSecrets(
  encryption: Encryption,
  configuration: StrikeConfiguration,
): StrikeConfiguration {
  const monitor = withEncryptedCredentials(configuration.monitor, encryption, STRIKE_CREDENTIALS);
  return { ...configuration, monitor };
}

function opened(encryption: Encryption, configuration: StrikeConfiguration): StrikeConfiguration {
  const monitor = withOpenedCredentials(configuration.monitor, encryption, STRIKE_CREDENTIALS);
  return { ...configuration, monitor };
}
