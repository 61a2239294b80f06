/** The records that others refer to: facts from the files and from the server. */
import { isJsonObject, type Json, type JsonObject } from '../../domain/document/json-value.ts';
import { mentionsOf } from '../../domain/ingest/ingest-rule.ts';
import { type Interface, validateInterface } from '../../domain/interface/interface.ts';
import { inputInterfaceOf, outputInterfaceOf } from '../../domain/manifest/manifest.ts';
import { validateManifest } from '../../domain/manifest/manifest-check.ts';
import { type DefinitionMentions, mentionsOfDefinition } from '../../domain/recipe/recipe-definition.ts';
import {
  type JobTypeFacts,
  jobTypeKey,
  type SubRecipeFacts,
} from '../../domain/recipe/recipe-definition-check.ts';
import { BROKER_TYPES, type WorkspaceFacts } from '../../domain/workspace/workspace-config.ts';
import type { Desired } from './documents.ts';
import type { Records, Reference, ServerRecord } from './server.ts';
import type { KnownJob } from './short/set.ts';

export interface Facts {
  /** Whether a server was asked. If not, records that the files do not describe may still exist. */
  readonly isComplete: boolean;
  readonly workspaces: ReadonlyMap<string, WorkspaceFacts>;
  /** By `jobTypeKey`. */
  readonly jobTypes: ReadonlyMap<string, JobTypeFacts>;
  readonly recipeTypes: ReadonlyMap<string, SubRecipeFacts>;
}

interface Mentioned {
  readonly workspaces: readonly string[];
  readonly definition: DefinitionMentions;
  /** Those that strikes and scans name. */
  readonly recipeTypes: readonly { readonly name: string; readonly revision: number }[];
}

const NOTHING: DefinitionMentions = { jobTypes: [], recipeTypes: [], jobRevisions: [], recipeRevisions: [] };

/** The names that one record refers to, even if the rest of it is wrong. */
export function mentioned({ kind, body }: Pick<Desired, 'kind' | 'body'>): Mentioned {
  const configuration = isJsonObject(body.configuration) ? body.configuration : {};
  switch (kind) {
    case 'workspace':
      return { workspaces: [], definition: NOTHING, recipeTypes: [] };
    case 'job_type':
      return { workspaces: outputWorkspaces(configuration), definition: NOTHING, recipeTypes: [] };
    case 'recipe_type':
      return { workspaces: [], definition: mentionsOfDefinition(body.definition), recipeTypes: [] };
    default: {
      const { workspaces, recipeType } = mentionsOf(configuration);
      const recipe = isJsonObject(configuration.recipe) ? Number(configuration.recipe.revision_num ?? 0) : 0;
      const revision = Number.isSafeInteger(recipe) ? recipe : 0;
      const recipeTypes = recipeType === undefined ? [] : [{ name: recipeType, revision }];
      return { workspaces, definition: NOTHING, recipeTypes };
    }
  }
}

function outputWorkspaces({ output_workspaces: given }: JsonObject): readonly string[] {
  if (!isJsonObject(given)) return [];
  const outputs = isJsonObject(given.outputs) ? Object.values(given.outputs) : [];
  return [given.default, ...outputs].filter(
    (name): name is string => typeof name === 'string' && name !== '',
  );
}

/** The facts of the files alone. */
export function factsOf(records: readonly Desired[], server?: Facts): Facts {
  const workspaces = new Map(server?.workspaces);
  const jobTypes = new Map(server?.jobTypes);
  const recipeTypes = new Map(server?.recipeTypes);
  for (const { kind, name, version = '', body } of records) {
    if (kind === 'workspace') {
      workspaces.set(name, { brokerType: brokerTypeOf(body.configuration), isActive: true });
    } else if (kind === 'job_type') {
      const key = jobTypeKey(name, version);
      const facts = describedJob(body, jobTypes.get(key));
      if (facts !== undefined) jobTypes.set(key, facts);
    } else if (kind === 'recipe_type') {
      recipeTypes.set(name, describedRecipe(body, recipeTypes.get(name)));
    }
  }
  addContained(records, recipeTypes);
  return { isComplete: server !== undefined, workspaces, jobTypes, recipeTypes };
}

function brokerTypeOf(configuration: Json | undefined): WorkspaceFacts['brokerType'] {
  const broker = isJsonObject(configuration) ? configuration.broker : undefined;
  const type = isJsonObject(broker) ? broker.type : undefined;
  return BROKER_TYPES.find((one) => one === type) ?? 'host';
}

/** A described type replaces the server's newest revision. */
function describedJob(body: JsonObject, server: JobTypeFacts | undefined): JobTypeFacts | undefined {
  const manifest = validateManifest(body.manifest);
  if (!manifest.ok) return undefined;
  const { latestRevision = 1, revisions = [] } = server ?? {};
  const parts = { inputs: inputInterfaceOf(manifest.value), outputs: outputInterfaceOf(manifest.value) };
  return { isActive: true, latestRevision, revisions: new Map([...revisions, [latestRevision, parts]]) };
}

function describedRecipe(body: JsonObject, server: SubRecipeFacts | undefined): SubRecipeFacts {
  const input = isJsonObject(body.definition) ? interfaceOf(body.definition.input) : interfaceOf(undefined);
  const { latestRevision = 1, revisions = [], contains = new Set<string>() } = server ?? {};
  return {
    isActive: true,
    latestRevision,
    revisions: new Map([...revisions, [latestRevision, { input }]]),
    contains,
  };
}

function interfaceOf(document: Json | undefined): Interface {
  const checked = validateInterface(document);
  return checked.ok ? checked.value : { files: [], json: [] };
}

/** The recipe types inside each described one, at any depth. */
function addContained(records: readonly Desired[], recipeTypes: Map<string, SubRecipeFacts>): void {
  const inside = new Map(
    records.flatMap((record) => {
      return record.kind === 'recipe_type'
        ? [[record.name, mentioned(record).definition.recipeTypes] as const]
        : [];
    }),
  );
  for (const name of inside.keys()) {
    const contains = new Set<string>();
    const open = [...(inside.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (contains.has(next)) continue;
      contains.add(next);
      open.push(...(inside.get(next) ?? recipeTypes.get(next)?.contains ?? []));
    }
    const facts = recipeTypes.get(name);
    if (facts !== undefined) recipeTypes.set(name, { ...facts, contains });
  }
}

/** The server's facts about the records, and about the names that they refer to. */
export async function serverFacts(records: readonly Desired[], server: Records): Promise<Facts> {
  const all = records.map(mentioned);
  const own = (kind: Desired['kind']) => records.filter((record) => record.kind === kind);
  const workspaceNames = new Set([
    ...own('workspace').map(({ name }) => name),
    ...all.flatMap(({ workspaces }) => workspaces),
  ]);
  const jobs = new Map<string, Reference & { version: string }>();
  for (const { name, version = '' } of [
    ...own('job_type'),
    ...all.flatMap(({ definition }) => definition.jobTypes),
  ]) {
    jobs.set(jobTypeKey(name, version), { kind: 'job_type', name, version });
  }
  const recipeNames = new Set([
    ...own('recipe_type').map(({ name }) => name),
    ...all.flatMap(({ definition, recipeTypes }) => [
      ...definition.recipeTypes,
      ...recipeTypes.map(({ name }) => name),
    ]),
  ]);
  const workspaces = await readAll(server, [...workspaceNames], (name) => ({ kind: 'workspace', name }));
  const jobTypes = await readAll(server, [...jobs.values()], (reference) => reference);
  const recipeTypes = await readAll(server, [...recipeNames], (name) => ({ kind: 'recipe_type', name }));
  const jobRevisions = all.flatMap(({ definition }) => definition.jobRevisions);
  const recipeRevisions = all.flatMap(({ definition, recipeTypes }) => [
    ...definition.recipeRevisions,
    ...recipeTypes,
  ]);
  const jobFacts = new Map<string, JobTypeFacts>();
  for (const [{ name, version }, record] of jobTypes) {
    const wanted = jobRevisions.filter((one) => one.name === name && one.version === version);
    jobFacts.set(jobTypeKey(name, version), await jobFactsOf(server, record, { name, version, wanted }));
  }
  const recipeFacts = new Map<string, SubRecipeFacts>();
  for (const [name, record] of recipeTypes) {
    const wanted = recipeRevisions.filter((one) => one.name === name);
    recipeFacts.set(name, await recipeFactsOf(server, record, name, wanted));
  }
  return {
    isComplete: true,
    workspaces: new Map(
      workspaces.map(([name, { fields }]) => [
        name,
        { brokerType: brokerTypeOf(fields.configuration), isActive: fields.is_active !== false },
      ]),
    ),
    jobTypes: jobFacts,
    recipeTypes: recipeFacts,
  };
}

async function readAll<T>(
  server: Records,
  items: readonly T[],
  referenceOf: (item: T) => Reference,
): Promise<readonly (readonly [T, ServerRecord])[]> {
  const found = await server.findAll(items.map(referenceOf));
  return items.flatMap((item, index) => {
    const record = found[index];
    return record === undefined ? [] : [[item, record] as const];
  });
}

async function jobFactsOf(
  server: Records,
  { fields }: ServerRecord,
  {
    name,
    version,
    wanted,
  }: { name: string; version: string; wanted: readonly { readonly revision: number }[] },
): Promise<JobTypeFacts> {
  const latestRevision = Number(fields.revision_num);
  const revisions = new Map([[latestRevision, interfacesOf(fields.manifest)]]);
  for (const { revision } of wanted) {
    if (revision === 0 || revisions.has(revision)) continue;
    const found = await server.revision({ kind: 'job_type', name, version }, revision);
    if (found !== undefined) revisions.set(revision, interfacesOf(found.manifest));
  }
  const isSystemOnly = fields.is_system === true;
  return { isActive: fields.is_active !== false, isSystemOnly, latestRevision, revisions };
}

function interfacesOf(manifest: Json | undefined): {
  readonly inputs: Interface;
  readonly outputs: Interface;
} {
  const checked = validateManifest(manifest);
  if (!checked.ok) return { inputs: interfaceOf(undefined), outputs: interfaceOf(undefined) };
  return { inputs: inputInterfaceOf(checked.value), outputs: outputInterfaceOf(checked.value) };
}

async function recipeFactsOf(
  server: Records,
  { fields }: ServerRecord,
  name: string,
  wanted: readonly { readonly revision: number }[],
): Promise<SubRecipeFacts> {
  const latestRevision = Number(fields.revision_num);
  const inputOf = (definition: Json | undefined) => ({
    input: interfaceOf(isJsonObject(definition) ? definition.input : undefined),
  });
  const revisions = new Map([[latestRevision, inputOf(fields.definition)]]);
  for (const { revision } of wanted) {
    if (revision === 0 || revisions.has(revision)) continue;
    const found = await server.revision({ kind: 'recipe_type', name }, revision);
    if (found !== undefined) revisions.set(revision, inputOf(found.definition));
  }
  const inside = (fields.sub_recipe_types ?? []) as readonly JsonObject[];
  const contains = new Set(inside.map((one) => String(one.name)));
  return { isActive: fields.is_active !== false, latestRevision, revisions, contains };
}

/** Job types of the server as recipes of the short form call them. */
export async function knownJobs(
  externalJobs: readonly { readonly name: string; readonly version: string }[],
  server: Records,
): Promise<ReadonlyMap<string, KnownJob>> {
  const found = await readAll(server, externalJobs, (one) => ({ kind: 'job_type' as const, ...one }));
  return new Map(
    found.map(([{ name, version }, { fields }]) => [
      `job_type ${name} ${version}`,
      { name, version, isInFiles: false, ...interfacesOf(fields.manifest) },
    ]),
  );
}
