/**
 * Workspaces: the service behind their routes. It notifies agents of changes, and has them check places for new
 * workspaces.
 */
import { randomUUID } from 'node:crypto';
import { nodeAddress } from '../../actors/node/node.messages.ts';
import { scanAddress } from '../../actors/scan/scan.messages.ts';
import { strikeAddress } from '../../actors/strike/strike.messages.ts';
import { isJsonObject, jsonEquals } from '../../domain/document/json-value.ts';
import { nameProblems } from '../../domain/names.ts';
import { type Checked, joinProblems, type Problem } from '../../domain/validation.ts';
import { isSamePlace, movedWarnings, overlapWarnings } from '../../domain/workspace/overlap.ts';
import {
  maskedWorkspaceConfiguration,
  unmaskedWorkspaceConfiguration,
  validateWorkspaceConfiguration,
  type WorkspaceConfiguration,
} from '../../domain/workspace/workspace-config.ts';
import type { Asker, Findings, RawBody } from '../../http/route.ts';
import type { System } from '../../kernel/mod.ts';
import { onlineNodeIds } from '../../store/node/list.ts';
import { runningScans } from '../../store/scan/load.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { watchingStrikes } from '../../store/strike/load.ts';
import {
  COUNTED_FILES_MAX,
  countFilesIn,
  findWorkspace,
  type NamedWorkspace,
  namedWorkspaces,
  workspaceBrokers,
} from '../../store/workspace/list.ts';
import { createWorkspace, editWorkspace } from '../../store/workspace/save.ts';
import { acceptedConfiguration, below, invalidConfiguration } from '../shared/accepted.ts';
import { existing } from '../shared/existing.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import {
  leftoverMasks,
  WORKSPACE_CREDENTIALS,
  withEncryptedCredentials,
  withOpenedCredentials,
} from './encrypted-credentials.ts';
import { placeCheckWarnings } from './place-checks.ts';
import {
  type WorkspaceCreateBody,
  type WorkspaceDetailsRecord,
  type WorkspaceEditBody,
  workspacePath,
} from './schema.ts';

export interface WorkspaceParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly system: Pick<System, 'tell' | 'ask'>;
}

/** Throws AppError with every problem of the configuration. */
export async function addWorkspace(
  parts: WorkspaceParts,
  body: WorkspaceCreateBody,
  asker: Asker,
): Promise<{ readonly id: number; readonly warnings: readonly Problem[] }> {
  const { sql } = parts;
  const { nowMs } = asker;
  const configuration = acceptedConfiguration(validateWorkspaceConfiguration(body.configuration));
  refuseMasks(configuration);
  const { title, description = '', base_url: baseUrl = null, is_active: isActive = true, labels = {} } = body;
  const row = {
    ...{ name: body.name, title, description, isActive, labels, nowMs },
    baseUrl: baseUrl === '' ? null : baseUrl,
    configuration: withEncryptedSecrets(parts.encryption, configuration),
  };
  const shared = await filesWarnings(sql, configuration.broker, undefined);
  const { warnings } = below('configuration', { warnings: shared });
  const also = savesAnswer(asker, async (tx, made: number) => {
    return { status: 201, location: workspacePath(made), warnings, record: await workspaceDetails(tx, made) };
  });
  const id = await createWorkspace(sql, row, also);
  await announce(parts);
  return { id, warnings };
}

/** The problems of the documents in a body, which may have any form. */
export async function workspaceDocumentProblems({ configuration }: RawBody): Promise<readonly Problem[]> {
  // The route reports problems of the body's form.
  if (!isJsonObject(configuration)) return [];
  const checked = validateWorkspaceConfiguration(configuration);
  return checked.ok ? [] : below('configuration', checked).errors;
}

/** The workspace, its secrets masked; undefined if there is none. */
export async function workspaceDetails(sql: Sql, id: number): Promise<WorkspaceDetailsRecord | undefined> {
  const found = await findWorkspace(sql, id);
  return found === undefined
    ? undefined
    : { ...found, configuration: { ...maskedWorkspaceConfiguration(found.configuration) } };
}

/** Resolves with warnings. Throws NOT_FOUND, or as `addWorkspace`. */
export async function changeWorkspace(
  parts: WorkspaceParts,
  id: number,
  body: WorkspaceEditBody,
  nowMs: number,
): Promise<readonly Problem[]> {
  const { sql, encryption } = parts;
  const stored = existing(await findWorkspace(sql, id), 'workspace', id);
  const { title, description, base_url: baseUrl, is_active: isActive } = body;
  const configuration =
    body.configuration === undefined
      ? undefined
      : changedConfiguration(encryption, body.configuration, stored);
  await editWorkspace(sql, id, {
    nowMs,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(baseUrl === undefined ? {} : { baseUrl: baseUrl === '' ? null : baseUrl }),
    ...(isActive === undefined ? {} : { isActive }),
    ...(body.labels === undefined ? {} : { labels: body.labels }),
    ...(configuration === undefined ? {} : { configuration }),
  });
  await announce(parts);
  if (configuration === undefined) return [];
  const { broker } = configuration;
  return below('configuration', { warnings: await filesWarnings(sql, broker, stored) }).warnings;
}

type StoredWorkspace = Pick<NamedWorkspace, 'id' | 'name' | 'configuration'>;

/** Warnings about the effect of its place on other workspaces and on its files. `stored`: undefined for a new one. */
async function filesWarnings(
  sql: Sql,
  broker: WorkspaceConfiguration['broker'],
  stored: StoredWorkspace | undefined,
): Promise<readonly Problem[]> {
  const others = (await workspaceBrokers(sql)).filter(({ name }) => name !== stored?.name);
  const shared = overlapWarnings(broker, others);
  if (stored === undefined) return shared;
  const before = stored.configuration.broker;
  const files = isSamePlace(before, broker) ? 0 : await countFilesIn(sql, stored.id);
  return [...movedWarnings(before, broker, files, COUNTED_FILES_MAX), ...shared];
}

/** The row's new configuration; undefined if it equals the stored one. */
function changedConfiguration(
  encryption: Encryption,
  document: Readonly<Record<string, unknown>>,
  stored: StoredWorkspace,
): WorkspaceConfiguration | undefined {
  const sent = acceptedConfiguration(validateWorkspaceConfiguration(document));
  const kept = opened(encryption, stored.configuration);
  const configuration = unmaskedWorkspaceConfiguration(sent, kept);
  refuseMasks(configuration);
  const isSame = jsonEquals(configuration, kept);
  return isSame ? undefined : withEncryptedSecrets(encryption, configuration);
}

/** `name`: the workspace to be changed. */
export async function checkWorkspace(
  parts: WorkspaceParts,
  document: unknown,
  name: string | undefined,
): Promise<Findings> {
  // The route reports problems of the body's form.
  if (!isJsonObject(document)) return { errors: [], warnings: [] };
  const checked = validateWorkspaceConfiguration(document);
  const stored = name === undefined ? undefined : (await namedWorkspaces(parts.sql, [name])).get(name);
  const errors = problemsOf(parts, checked, stored?.configuration);
  const warnings = [
    ...checked.warnings,
    ...brokerWarnings(checked, stored?.configuration),
    ...(checked.ok ? await filesWarnings(parts.sql, checked.value.broker, stored) : []),
    ...(checked.ok && errors.length === 0 ? await placeWarnings(parts, checked.value, stored) : []),
  ];
  const found = below('configuration', { errors, warnings });
  if (name === undefined || stored !== undefined) return found;
  return {
    errors: joinProblems(nameProblems(name), found.errors),
    warnings: [...found.warnings, unknownName(name)],
  };
}

function problemsOf(
  { encryption }: WorkspaceParts,
  checked: Checked<WorkspaceConfiguration>,
  stored: WorkspaceConfiguration | undefined,
) {
  if (!checked.ok) return checked.errors;
  const kept = stored === undefined ? undefined : opened(encryption, stored);
  const { broker } = unmaskedWorkspaceConfiguration(checked.value, kept);
  return leftoverMasks(broker, 'broker', 'INVALID_BROKER');
}

/**
 * Warnings from checks by agents. Credentials are decrypted when the message leaves for an agent
 * (opened-workspaces.ts).
 */
function placeWarnings(
  parts: WorkspaceParts,
  configuration: WorkspaceConfiguration,
  stored: NamedWorkspace | undefined,
) {
  const kept = stored === undefined ? undefined : opened(parts.encryption, stored.configuration);
  const place = withEncryptedSecrets(parts.encryption, unmaskedWorkspaceConfiguration(configuration, kept));
  const { uuid, name } = stored ?? { uuid: randomUUID(), name: '' };
  return placeCheckWarnings(parts, { uuid, name, configuration: JSON.stringify(place) });
}

/** The warning of a validation that names an unknown workspace. */
function unknownName(name: string) {
  const description = `there is no workspace '${name}': the body is checked as for a new one`;
  return { name: 'unknown_workspace', description, path: 'name' };
}

function brokerWarnings(
  checked: Checked<WorkspaceConfiguration>,
  stored: WorkspaceConfiguration | undefined,
) {
  if (!checked.ok) return [];
  const { type } = checked.value.broker;
  const path = 'broker.type';
  const warnings = [];
  if (stored !== undefined && stored.broker.type !== type) {
    const description = 'changing the broker type may disrupt queued or running jobs';
    warnings.push({ name: 'broker_type', description, path });
  }
  return warnings;
}

// poll: agents are asked about all active workspaces every half minute, strikes and scans read them every minute.
async function announce({ sql, system }: WorkspaceParts): Promise<void> {
  for (const nodeId of await onlineNodeIds(sql)) {
    system.tell(nodeAddress(nodeId), { type: 'workspacesChanged' });
  }
  for (const strikeId of await watchingStrikes(sql)) {
    system.tell(strikeAddress(strikeId), { type: 'workspacesChanged' });
  }
  for (const scanId of await runningScans(sql)) {
    system.tell(scanAddress(scanId), { type: 'workspacesChanged' });
  }
}

function refuseMasks({ broker }: WorkspaceConfiguration): void {
  const errors = leftoverMasks(broker, 'configuration.broker', 'INVALID_BROKER');
  if (errors.length > 0) throw invalidConfiguration(errors);
}

function withEncryptedSecrets(
  encryption: Encryption,
  configuration: WorkspaceConfiguration,
): WorkspaceConfiguration {
  const broker = withEncryptedCredentials(configuration.broker, encryption, WORKSPACE_CREDENTIALS);
  return { ...configuration, broker };
}

function opened(encryption: Encryption, configuration: WorkspaceConfiguration): WorkspaceConfiguration {
  const broker = withOpenedCredentials(configuration.broker, encryption, WORKSPACE_CREDENTIALS);
  return { ...configuration, broker };
}
