/** Nodes of a recipe definition as graphs show them. */
import { Type } from '@sinclair/typebox';
import type { Filter } from '../../domain/filter/filter.ts';
import { filterSentence, filterWithValue } from '../../domain/filter/filter-words.ts';
import type { NodeType, RecipeNode } from '../../domain/recipe/recipe-definition.ts';
import { integer, oneOf, orNull } from '../../http/schema.ts';

/** limit: tests of one condition that are listed. */
const TESTS_MAX = 20;

const Test = Type.Object({
  meaning: Type.String({ description: 'In words: `passes when 100 < WORDS`.' }),
  compared: orNull(
    Type.String({
      description:
        'With the value that it got: `100 < 5644`. Null until it gets one, and for tests of files.',
    }),
  ),
});

export const nodeFields = {
  name: Type.String(),
  node_type: oneOf(['job', 'recipe', 'condition']),
  type_name: orNull(Type.String({ description: 'The name of the job type or recipe type.' })),
  type_version: orNull(Type.String({ description: 'The version of the job type.' })),
  type_revision: orNull(integer({ minimum: 1 })),
  dependencies: Type.Array(Type.Object({ name: Type.String(), acceptance: Type.Boolean() })),
  tests: Type.Array(Test, { description: `The tests of a condition; the first ${TESTS_MAX}.` }),
  needs_all_tests: Type.Boolean({ description: 'False: one test that passes is enough.' }),
};

/** `values`: the values that a condition compared, as JSON text by parameter. */
export function nodeRecordOf(
  name: string,
  { dependencies, node_type: type }: RecipeNode,
  values: Readonly<Record<string, string>>,
) {
  const isCondition = type.node_type === 'condition';
  return {
    ...{ name, node_type: type.node_type, ...typeOf(type) },
    dependencies: dependencies.map((one) => ({ name: one.name, acceptance: one.acceptance })),
    tests: isCondition ? testsOf(type.data_filter.filters, values) : [],
    needs_all_tests: isCondition && type.data_filter.all,
  };
}

function typeOf(type: NodeType) {
  switch (type.node_type) {
    case 'job':
      return {
        type_name: type.job_type_name,
        type_version: type.job_type_version,
        type_revision: type.job_type_revision,
      };
    case 'recipe':
      return {
        type_name: type.recipe_type_name,
        type_version: null,
        type_revision: type.recipe_type_revision,
      };
    default:
      return { type_name: null, type_version: null, type_revision: null };
  }
}

function testsOf(filters: readonly Filter[], values: Readonly<Record<string, string>>) {
  return filters.slice(0, TESTS_MAX).map((filter) => {
    const value = Object.hasOwn(values, filter.name) ? values[filter.name] : undefined;
    return {
      meaning: filterSentence(filter),
      compared: value === undefined ? null : (filterWithValue(filter, value) ?? null),
    };
  });
}
