/** Compares a record as files describe it with the one that the server has. Pure. */
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEquals,
  jsonOf,
} from '../../domain/document/json-value.ts';
import { fullConfiguration, type JobConfigurationPart } from '../../domain/job/job-config.ts';
import type { Labels } from '../../domain/labels.ts';
import { validateManifest } from '../../domain/manifest/manifest-check.ts';
import { CREDENTIAL_MASK } from '../../domain/workspace/credentials.ts';
import { assert } from '../../lib/assert.ts';
import { type CheckedRecord, STATE_FIELDS } from './check.ts';
import { type Desired, desiredLabels, type Kind, PRUNED_LABEL, SET_LABEL } from './documents.ts';
import type { ServerRecord } from './server.ts';

/** One difference. Absent where the file or the server has nothing. */
export interface Difference {
  /** As `manifest.job.timeout`. */
  readonly path: string;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** The body of the edit that makes the record equal to the file; empty if nothing differs. */
  readonly edit: JsonObject;
  /** The file has secrets. No answer shows secrets, so they are sent each time. */
  readonly hasSecrets: boolean;
}

/** The server's values of the fields that files set. */
export function keptByServer(kind: Kind, { fields }: ServerRecord): JsonObject {
  const { title = '', description = '', configuration = {}, definition = {} } = fields;
  const document = isJsonObject(configuration) ? configuration : {};
  switch (kind) {
    case 'workspace':
      return {
        title,
        description,
        base_url: fields.base_url ?? null,
        configuration: { http: 'none', ...document },
      };
    case 'job_type': {
      const manifest = validateManifest(fields.manifest);
      return {
        container_image: fields.container_image ?? '',
        manifest: manifest.ok ? jsonOf(manifest.value) : (fields.manifest ?? {}),
        configuration: jsonOf(fullConfiguration(document as JobConfigurationPart)),
        icon_code: fields.icon_code ?? null,
        is_published: fields.is_published ?? false,
        max_scheduled: fields.max_scheduled ?? null,
        max_tries: fields.max_tries ?? 3,
      };
    }
    case 'recipe_type':
      return { title, description, definition };
    case 'scan': {
      const { monitor: _sameAsScanner, ...rest } = document;
      return { title, description, configuration: rest };
    }
    case 'strike':
      return { title, description, configuration };
  }
}

/** The labels that the record has once the file is applied. */
function labelsAfter(desired: Desired, current: Labels): Labels {
  const given = desiredLabels(desired);
  const { [PRUNED_LABEL]: _pruned, ...others } = current;
  // A file without `labels` leaves those of others alone.
  return desired.body.labels === undefined || desired.body.labels === null
    ? { ...others, ...given }
    : (given ?? others);
}

export function compareRecord({ desired, kept }: CheckedRecord, current: ServerRecord): Comparison {
  const { kind, body } = desired;
  const before = keptByServer(kind, current);
  const { shown, hasSecrets } = withoutSecrets(kind, kept, before);
  const differences: Difference[] = [];
  const edit: Record<string, Json> = {};
  for (const [key, after] of Object.entries(shown)) {
    const found = differencesOf(key, before[key], after);
    differences.push(...found);
    if (found.length > 0 || (key === 'configuration' && hasSecrets)) edit[key] = kept[key] as Json;
  }
  const labels = labelsAfter(desired, current.labels);
  const labelled = differencesOf('labels', current.labels, labels);
  differences.push(...labelled);
  if (labelled.length > 0) edit.labels = labels;
  for (const [key, value] of Object.entries(stateAfter(body, current))) {
    if (current.fields[key] === value) continue;
    differences.push({ path: key, before: current.fields[key], after: value });
    edit[key] = value;
  }
  return { differences, edit, hasSecrets };
}

/** The state that the file sets. A record that `--prune` has stopped is started again once files have it again. */
function stateAfter(body: JsonObject, { labels, fields }: ServerRecord): JsonObject {
  const wasPruned = Object.hasOwn(labels, PRUNED_LABEL);
  const state: Record<string, Json> = {};
  if (wasPruned && fields.is_active === false) state.is_active = true;
  if (wasPruned && fields.is_paused === true) state.is_paused = false;
  for (const key of STATE_FIELDS) if (typeof body[key] === 'boolean') state[key] = body[key] as Json;
  return state;
}

/** Why the file may not change the record; undefined if it may. */
export function ownerProblem(desired: Pick<Desired, 'set'>, current: ServerRecord): string | undefined {
  const owner = current.labels[SET_LABEL];
  if (current.isSystem) return 'is a system type, which files cannot change';
  if (owner === desired.set) return undefined;
  if (owner !== undefined) return `belongs to the set '${owner}'; --adopt takes it over`;
  return `exists and belongs to no set; --adopt takes it over`;
}

/**
 * The stored form without what cannot be compared: credentials, which the server masks, and secret settings, which it
 * does not show.
 */
function withoutSecrets(
  kind: Kind,
  kept: JsonObject,
  before: JsonObject,
): { readonly shown: JsonObject; readonly hasSecrets: boolean } {
  const { configuration } = kept;
  if (!isJsonObject(configuration)) return { shown: kept, hasSecrets: false };
  if (kind === 'job_type') {
    const manifest = validateManifest(kept.manifest);
    assert(manifest.ok, 'a checked job type has a valid manifest');
    const names = new Set(
      manifest.value.job.interface.settings.flatMap(({ name, secret }) => (secret ? [name] : [])),
    );
    const all = Object.entries(isJsonObject(configuration.settings) ? configuration.settings : {});
    const open = Object.fromEntries(all.filter(([name]) => !names.has(name)));
    const shown = { ...kept, configuration: { ...configuration, settings: open } };
    return { shown, hasSecrets: all.some(([name]) => names.has(name)) };
  }
  const key = kind === 'workspace' ? 'broker' : 'monitor';
  const [mine, theirs] = [holderOf(kept, key), holderOf(before, key)];
  const given = isJsonObject(mine?.credentials) ? mine.credentials : undefined;
  if (given === undefined || !isJsonObject(theirs?.credentials))
    return { shown: kept, hasSecrets: given !== undefined };
  const masked = { ...mine, credentials: theirs.credentials };
  const hasSecrets = Object.values(given).some((value) => value !== CREDENTIAL_MASK);
  return { shown: { ...kept, configuration: { ...configuration, [key]: masked } }, hasSecrets };
}

function holderOf({ configuration }: JsonObject, key: string): JsonObject | undefined {
  const holder = isJsonObject(configuration) ? configuration[key] : undefined;
  return isJsonObject(holder) ? holder : undefined;
}

/** The differences below a path, as deep as both sides have maps. Lists of different lengths differ as a whole. */
export function differencesOf(
  path: string,
  before: Json | undefined,
  after: Json | undefined,
): readonly Difference[] {
  if (jsonEquals(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differencesOf(`${path}.${key}`, before[key], after[key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((one, index) =>
      differencesOf(`${path}[${index}]`, one as Json, after[index] as Json),
    );
  }
  return [{ path, before, after }];
}
