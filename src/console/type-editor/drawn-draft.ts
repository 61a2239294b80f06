/** The nodes of a draft for the graph. A draft may have any form: unknown parts are left out. */
import type { DefinedNode } from '../recipe-graph/definition-graph.tsx';
import { stepsOf } from './places.ts';

interface Warning {
  readonly name: string;
  readonly path: string;
  readonly description: string;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** `warnings`: those of the validation, which say what the tests of conditions mean. */
export function nodesOfDraft(draft: object, warnings: readonly Warning[]): readonly DefinedNode[] {
  const nodes = fieldsOf(fieldsOf(fieldsOf(draft).definition).nodes);
  return Object.entries(nodes).flatMap(([name, value]) => {
    const type = fieldsOf(fieldsOf(value).node_type);
    const kind = type.node_type;
    if (kind !== 'job' && kind !== 'recipe' && kind !== 'condition') return [];
    const revision = Number(type.job_type_revision ?? type.recipe_type_revision ?? Number.NaN);
    return {
      ...{ name, node_type: kind, dependencies: dependenciesOf(fieldsOf(value).dependencies) },
      type_name: textOf(type.job_type_name) ?? textOf(type.recipe_type_name),
      type_version: textOf(type.job_type_version),
      type_revision: Number.isInteger(revision) ? revision : null,
      tests: kind === 'condition' ? meaningsOf(name, warnings) : [],
      needs_all_tests: fieldsOf(type.data_filter).all !== false,
    };
  });
}

function dependenciesOf(value: unknown): DefinedNode['dependencies'] {
  return listOf(value).flatMap((one) => {
    const { name, acceptance } = fieldsOf(one);
    return typeof name === 'string' ? { name, acceptance: acceptance !== false } : [];
  });
}

function meaningsOf(node: string, warnings: readonly Warning[]): DefinedNode['tests'] {
  return warnings
    .filter(({ name, path }) => name === 'FILTER_MEANING' && stepsOf(path)[2] === node)
    .map(({ description }) => ({ meaning: description, compared: null }));
}
