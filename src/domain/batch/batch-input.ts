/** How the parameters of a dataset become the inputs of a recipe, and how many recipes result. */
import type { Data } from '../data/data.ts';
import type { DatasetDefinition } from '../dataset/dataset.ts';
import { validateConnection } from '../interface/connection.ts';
import { type Interface, interfaceOf, type Parameter, parametersOf } from '../interface/interface.ts';
import type { RecipeTypeRevision } from '../recipe/type-revisions.ts';
import { type Checked, IssueList, mapProblems } from '../validation.ts';
import type { InputMapping } from './batch-documents.ts';

/** Checks that the dataset's data, renamed, fits the recipe's inputs. Paths are those of a batch's body. */
export function validateBatchInput(
  dataset: DatasetDefinition,
  recipe: Interface,
  inputMap: readonly InputMapping[],
): Checked<true> {
  const issues = new IssueList();
  const given = new Map([...parametersOf(dataset.global_parameters), ...parametersOf(dataset.parameters)]);
  const taken = parametersOf(recipe);
  for (const [index, { input, datasetParameter }] of inputMap.entries()) {
    const path = `configuration.inputMap[${index}]`;
    if (!given.has(datasetParameter)) {
      const text = `the dataset has no parameter '${datasetParameter}'`;
      issues.error('INVALID_INPUT_MAP', `${path}.datasetParameter`, text);
    }
    if (!taken.has(input)) {
      issues.error('INVALID_INPUT_MAP', `${path}.input`, `the recipe type has no input '${input}'`);
    }
  }
  if (!issues.ok) return issues.finish(() => true);
  const supplied = new Map<string, Parameter>();
  for (const [input, from] of sources(recipe, inputMap)) {
    const parameter = given.get(from);
    if (parameter !== undefined) supplied.set(input, { ...parameter, name: input });
  }
  const feeds = validateConnection(interfaceOf(supplied), recipe);
  issues.include('definition.dataset', {
    errors: mapProblems(feeds.ok ? [] : feeds.errors, ({ description }) => {
      return { name: 'MISMATCHED_PARAMS', description, path: '' };
    }),
    warnings: mapProblems(feeds.warnings, (warning) => ({ ...warning, path: '' })),
  });
  return issues.finish(() => true);
}

/** By recipe input: the parameter of the dataset that feeds it. */
function sources(recipe: Interface, inputMap: readonly InputMapping[]): ReadonlyMap<string, string> {
  const mapped = new Map(inputMap.map((one) => [one.input, one.datasetParameter]));
  return new Map([...parametersOf(recipe).keys()].map((input) => [input, mapped.get(input) ?? input]));
}

/**
 * The input of the recipe for one member. The member's own data take precedence over global data; other names are
 * dropped.
 */
export function memberInput(
  member: Data,
  global: Data,
  recipe: Interface,
  inputMap: readonly InputMapping[],
): Data {
  const files: [string, readonly number[]][] = [];
  const json: [string, Data['json'][string]][] = [];
  for (const [input, from] of sources(recipe, inputMap)) {
    const ids = givenAs(member.files, global.files, from);
    if (ids !== undefined) files.push([input, ids]);
    const value = givenAs(member.json, global.json, from);
    if (value !== undefined) json.push([input, value]);
  }
  return { files: Object.fromEntries(files), json: Object.fromEntries(json) };
}

function givenAs<V>(
  member: Readonly<Record<string, V>>,
  global: Readonly<Record<string, V>>,
  name: string,
): V | undefined {
  if (Object.hasOwn(member, name)) return member[name];
  return Object.hasOwn(global, name) ? global[name] : undefined;
}

/**
 * The number of recipes that a recipe of this revision consists of if all conditions are true: itself and its
 * sub-recipes.
 */
export function recipesOfOne(revision: RecipeTypeRevision): number {
  let count = 1;
  for (const sub of revision.subRecipes.values()) count += recipesOfOne(sub);
  return count;
}

/**
 * By job type id: the number of jobs that a recipe of this revision has if all conditions are true. `counts` is added
 * to.
 */
export function jobsOfOne(
  revision: RecipeTypeRevision,
  counts: Map<number, number> = new Map(),
): ReadonlyMap<number, number> {
  for (const { jobTypeId } of revision.jobs.values()) counts.set(jobTypeId, (counts.get(jobTypeId) ?? 0) + 1);
  for (const sub of revision.subRecipes.values()) jobsOfOne(sub, counts);
  return counts;
}
