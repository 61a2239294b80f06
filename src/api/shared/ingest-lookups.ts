/** Looks up the workspaces and recipe types in the configuration of a strike or scan, to check it. */
import { isJsonObject, type JsonObject } from '../../domain/document/json-value.ts';
import type { RecipeTypeFacts } from '../../domain/ingest/ingest-recipe.ts';
import { mentionsOf, type RuleLookups } from '../../domain/ingest/ingest-rule.ts';
import { EMPTY_INTERFACE, type Interface, validateInterface } from '../../domain/interface/interface.ts';
import type { Problem } from '../../domain/validation.ts';
import type { WorkspaceFacts } from '../../domain/workspace/workspace-config.ts';
import type { Evaluator } from '../../evaluator/evaluator.ts';
import { assert } from '../../lib/assert.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { recipeTypeInputs } from '../../store/strike/list.ts';
import { type NamedWorkspace, namedWorkspaces } from '../../store/workspace/list.ts';
import { nearRecords } from './near-records.ts';

const REVISION_MAX = 2_147_483_647;

/** Workspaces that the configuration mentions and that exist. */
export type NamedWorkspaces = ReadonlyMap<string, NamedWorkspace>;

export interface IngestLookups {
  readonly lookups: RuleLookups & { readonly recipeTypes: ReadonlyMap<string, RecipeTypeFacts> };
  readonly workspaces: NamedWorkspaces;
}

export async function ingestLookups(
  { sql, evaluator }: { readonly sql: Sql; readonly evaluator: Pick<Evaluator, 'checkPatterns'> },
  document: unknown,
): Promise<IngestLookups> {
  const mentions = mentionsOf(document);
  const [patterns, workspaces, recipeTypes] = await Promise.all([
    evaluator.checkPatterns(mentions.patterns),
    namedWorkspaces(sql, mentions.workspaces),
    recipeTypesOf(sql, mentions.recipeType, document),
  ]);
  const facts = [...workspaces].map(([name, workspace]) => [name, factsOf(workspace)] as const);
  const named = mentions.recipeType === undefined ? [] : [mentions.recipeType];
  const near = await nearRecords(sql, {
    recipeTypes: named.filter((name) => !recipeTypes.has(name)),
    workspaces: mentions.workspaces.filter((name) => !workspaces.has(name)),
  });
  const patternProblem = (pattern: string) => patterns.get(pattern);
  return { lookups: { workspaces: new Map(facts), patternProblem, recipeTypes, near }, workspaces };
}

function factsOf({ configuration, isActive }: NamedWorkspace): WorkspaceFacts {
  return { brokerType: configuration.broker.type, isActive };
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

/** Definitions are validated before they are stored. */
function interfaceOf(document: unknown): Interface {
  const checked = validateInterface(document);
  return checked.ok ? checked.value : EMPTY_INTERFACE;
}

/** The revision that the configuration names, if it is a valid number. */
function mentionedRevision({ recipe }: JsonObject): number | undefined {
  const given = isJsonObject(recipe) ? recipe.revision_num : undefined;
  // Only texts and numbers are converted, because an object may have a member `toString` that is not a function.
  const number = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN;
  return Number.isInteger(number) && number >= 1 && number <= REVISION_MAX ? number : undefined;
}

export function reachWarnings(workspaces: NamedWorkspaces): readonly Problem[] {
  return [...workspaces.values()]
    .filter((workspace) => workspace.isActive && !workspace.isReached)
    .map(({ name }) => ({
      name: 'UNREACHABLE_WORKSPACE',
      description: `no agent reaches the workspace '${name}' now: its files wait until one does`,
      path: '',
    }));
}

export function workspaceIdOf(workspaces: NamedWorkspaces, name: string): number {
  const found = workspaces.get(name);
  assert(found !== undefined, `workspace ${name} was validated`);
  return found.id;
}
