/** Strikes: what their routes need, from the store; what changes a strike is asked of its actor. */
import { type StrikeMessage, strikeAddress } from '../actors/strike/strike.messages.ts';
import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../domain/document/json-value.ts';
import { AppError } from '../domain/errors.ts';
import { EMPTY_INTERFACE, type Interface, validateInterface } from '../domain/interface/interface.ts';
import type { RecipeTypeFacts } from '../domain/strike/ingest-recipe.ts';
import { mentionsOf } from '../domain/strike/ingest-rule.ts';
import {
  maskedStrikeConfiguration,
  type StrikeConfiguration,
  type StrikeLookups,
  unmaskedStrikeConfiguration,
  validateStrikeConfiguration,
} from '../domain/strike/strike-config.ts';
import type { Checked, Problem } from '../domain/validation.ts';
import type { BrokerType, WorkspaceFacts } from '../domain/workspace/workspace-config.ts';
import type { Evaluator } from '../evaluator/evaluator.ts';
import type { Findings } from '../http/route.ts';
import type { StrikeEditBody, StrikeRouteDeps } from '../http/v6/strikes.ts';
import type { System } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import { createStrike } from '../store/catalog/strikes.ts';
import { findStrike, listStrikes, recipeTypeInputs } from '../store/queries/strikes.ts';
import { type NamedWorkspace, namedWorkspaces } from '../store/queries/workspaces.ts';
import type { Seal } from '../store/sealing.ts';
import type { Sql } from '../store/sql.ts';
import { acceptedConfiguration, below, invalidConfiguration } from './accepted.ts';
import { leftoverMasks, withOpenedCredentials, withSealedCredentials } from './sealed-credentials.ts';

export interface StrikeParts {
  readonly sql: Sql;
  readonly seal: Seal;
  readonly evaluator: Pick<Evaluator, 'checkPatterns'>;
  readonly system: Pick<System, 'tell' | 'ask'>;
  /** Whether this installation has a NATS server to read notifications from. */
  readonly hasNats: boolean;
}

type Strikes = StrikeRouteDeps['strikes'];
type Details = NonNullable<Awaited<ReturnType<Strikes['find']>>>;
type Document = Readonly<Record<string, unknown>>;

const PURPOSE = 'strike credentials';
const ASK_DEADLINE_MS = 10_000;
const REVISION_MAX = 2_147_483_647;

export function strikesApp(parts: StrikeParts): Strikes {
  const { sql, seal, system } = parts;
  return {
    list: (filter, order, page) => listStrikes(sql, filter, order, page),
    async find(id) {
      const found = await findStrike<Details>(sql, id);
      return found === undefined ? undefined : { ...found, configuration: masked(found.configuration) };
    },
    async create(body, nowMs) {
      const { checked, workspaces } = await checkStrike(parts, body.configuration);
      const configuration = acceptedConfiguration(checked);
      refuseMasks(configuration);
      const id = await createStrike(sql, {
        ...{ title: body.title, description: body.description ?? '', nowMs },
        configuration: sealed(seal, configuration),
        workspaceId: idOf(workspaces, configuration.workspace),
      });
      // poll: the sweep of strikes wakes every one of them.
      system.tell(strikeAddress(id), { type: 'wake' } satisfies StrikeMessage);
      return id;
    },
    edit: (id, body) => edit(parts, id, body),
    check: (configuration) => check(parts, configuration),
    documentProblems: async ({ configuration }) => (await check(parts, configuration)).errors,
  };
}

async function edit(parts: StrikeParts, id: number, body: StrikeEditBody): Promise<void> {
  const stored = await findStrike<Details>(parts.sql, id);
  if (stored === undefined) throw new AppError('NOT_FOUND', 'there is no such strike');
  const { title, description, is_paused: isPaused } = body;
  const message: StrikeMessage = {
    type: 'edit',
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(isPaused === undefined ? {} : { isPaused }),
    ...(body.configuration === undefined
      ? {}
      : await changedConfiguration(parts, body.configuration, stored.configuration)),
  };
  if (Object.keys(message).length === 1) return;
  await parts.system.ask(strikeAddress(id), message, { deadlineMs: ASK_DEADLINE_MS });
}

/** What an edit says of the configuration: nothing when it is what the row says. */
async function changedConfiguration(
  parts: StrikeParts,
  document: Document,
  stored: Document,
): Promise<{ configuration?: Document; workspaceId?: number }> {
  const { checked, workspaces } = await checkStrike(parts, document);
  const kept = opened(parts.seal, stored);
  const configuration = unmaskedStrikeConfiguration(acceptedConfiguration(checked), kept);
  refuseMasks(configuration);
  if (jsonEquals(configuration as unknown as Json, kept as unknown as Json)) return {};
  return {
    configuration: sealed(parts.seal, configuration),
    workspaceId: idOf(workspaces, configuration.workspace),
  };
}

async function check(parts: StrikeParts, document: unknown): Promise<Findings> {
  // The form of the body is reported by the route.
  if (!isJsonObject(document)) return { errors: [], warnings: [] };
  const { checked, workspaces } = await checkStrike(parts, document);
  const warnings = [...checked.warnings, ...reachWarnings(workspaces)];
  return below('configuration', checked.ok ? { warnings } : { errors: checked.errors, warnings });
}

interface CheckedStrike {
  readonly checked: Checked<StrikeConfiguration>;
  /** Those that the configuration mentions and that exist. */
  readonly workspaces: ReadonlyMap<string, NamedWorkspace>;
}

async function checkStrike(
  { sql, evaluator, hasNats }: StrikeParts,
  document: unknown,
): Promise<CheckedStrike> {
  const mentions = mentionsOf(document);
  const [patterns, workspaces, recipeTypes] = await Promise.all([
    evaluator.checkPatterns(mentions.patterns),
    namedWorkspaces(sql, mentions.workspaces),
    recipeTypesOf(sql, mentions.recipeType, document),
  ]);
  const facts = [...workspaces].map(([name, workspace]) => [name, factsOf(workspace)] as const);
  const lookups: StrikeLookups = {
    workspaces: new Map(facts),
    patternProblem: (pattern) => patterns.get(pattern),
    recipeTypes,
    hasNats,
  };
  return { checked: validateStrikeConfiguration(document, lookups), workspaces };
}

function factsOf({ configuration, isActive }: NamedWorkspace): WorkspaceFacts {
  const { broker } = configuration as { readonly broker: { readonly type: BrokerType } };
  return { brokerType: broker.type, isActive };
}

async function recipeTypesOf(
  sql: Sql,
  name: string | undefined,
  document: unknown,
): Promise<ReadonlyMap<string, RecipeTypeFacts>> {
  if (name === undefined) return new Map();
  const found = await recipeTypeInputs(sql, name, mentionedRevision(document as JsonObject));
  if (found === undefined) return new Map();
  const inputs = Object.entries(found.inputs).map(
    ([number, input]) => [Number(number), interfaceOf(input)] as const,
  );
  return new Map([[name, { ...found, inputs: new Map(inputs) }]]);
}

/** Definitions are stored validated. */
function interfaceOf(document: unknown): Interface {
  const checked = validateInterface(document);
  return checked.ok ? checked.value : EMPTY_INTERFACE;
}

/** The revision that the configuration names, if it can be one. */
function mentionedRevision({ recipe }: JsonObject): number | undefined {
  const given = isJsonObject(recipe) ? recipe.revision_num : undefined;
  // Only texts and numbers: an object may have a member `toString` that is no function.
  const number = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN;
  return Number.isInteger(number) && number >= 1 && number <= REVISION_MAX ? number : undefined;
}

function reachWarnings(workspaces: ReadonlyMap<string, NamedWorkspace>): readonly Problem[] {
  return [...workspaces.values()]
    .filter((workspace) => workspace.isActive && !workspace.isReached)
    .map(({ name }) => ({
      name: 'UNREACHABLE_WORKSPACE',
      description: `no agent reaches the workspace '${name}' now: its files wait until one does`,
      path: '',
    }));
}

function idOf(workspaces: ReadonlyMap<string, NamedWorkspace>, name: string): number {
  const found = workspaces.get(name);
  assert(found !== undefined, `workspace ${name} was validated`);
  return found.id;
}

function refuseMasks({ monitor }: StrikeConfiguration): void {
  const errors = leftoverMasks(monitor, 'configuration.monitor', 'INVALID_MONITOR_CONFIGURATION');
  if (errors.length > 0) throw invalidConfiguration(errors);
}

/** A stored configuration as answers show it. */
export function masked(stored: Document): Document {
  return { ...maskedStrikeConfiguration(stored as unknown as StrikeConfiguration) };
}

function sealed(seal: Seal, configuration: StrikeConfiguration): Document {
  return { ...configuration, monitor: withSealedCredentials(configuration.monitor, seal, PURPOSE) };
}

function opened(seal: Seal, stored: Document): StrikeConfiguration {
  const configuration = stored as unknown as StrikeConfiguration;
  return { ...configuration, monitor: withOpenedCredentials(configuration.monitor, seal, PURPOSE) };
}
