/** The definition of a recipe type, and the nodes that a reprocess forces (`domain/recipe`). */
import { Type } from '@sinclair/typebox';
import { RECIPE_TYPE, REPROCESSES } from '../shared/examples.ts';
import { byName, closed, form, listOf, may, part, text, VERSION, yesOrNo } from './fields.ts';
import { DataFilter, Interface } from './interface.ts';

const NODES = { maxItems: 1_000 };
const nodeName = (description: string) => text(description, { maxLength: 100 });
const kind = (value: string) => Type.Unsafe({ type: 'string', enum: [value] });
const revision = may(
  Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      Type.String({ pattern: '^(?=\\d{1,10}$)0*[1-9]\\d*$' }),
    ],
    { description: 'Default: the newest.' },
  ),
);

const FromRecipe = form('FromRecipe', 'An input of the node that is one of the recipe', {
  type: kind('recipe'),
  input: text('The name of the input of the recipe.', { maxLength: 250 }),
});
const FromNode = form('FromNode', 'An input of the node that is an output of another', {
  type: kind('dependency'),
  node: nodeName('The node that makes it: a dependency, or one of its dependencies.'),
  output: text('The name of its output.', { maxLength: 250 }),
});

const JobNode = form('JobNode', 'A node that runs a job', {
  node_type: kind('job'),
  job_type_name: text('The name in the manifest.', { maxLength: 50 }),
  job_type_version: text('The `jobVersion` in the manifest.', { maxLength: 50 }),
  job_type_revision: revision,
});
const SubRecipeNode = form('SubRecipeNode', 'A node that runs a recipe', {
  node_type: kind('recipe'),
  recipe_type_name: text('The name, not the title.', { maxLength: 50 }),
  recipe_type_revision: revision,
});
const ConditionNode = form('ConditionNode', 'A node that decides whether the nodes after it run', {
  node_type: kind('condition'),
  interface: {
    ...Interface,
    description: 'What it takes. Nodes after it may use these values as its outputs.',
  },
  data_filter: DataFilter,
});

export const RecipeDefinition = form(
  'RecipeDefinition',
  'The nodes of a recipe, and what feeds them',
  {
    version: VERSION,
    input: { ...Interface, description: 'What a recipe takes.' },
    nodes: Type.Record(
      Type.String({ minLength: 1, maxLength: 100 }),
      closed({
        dependencies: listOf(
          closed({
            name: nodeName('The name of the node that must have completed.'),
            acceptance: yesOrNo('For a condition: whether it must have accepted. Default: true.'),
          }),
          'Nodes that this one waits for; empty: none.',
          NODES,
        ),
        input: byName(Type.Union([FromRecipe, FromNode]), 'By the names of inputs of the node.'),
        node_type: Type.Union([JobNode, SubRecipeNode, ConditionNode]),
      }),
      { description: 'By the names of nodes.', maxProperties: 1_000 },
    ),
  },
  { examples: [RECIPE_TYPE.definition] },
);

const NAME = 'ForcedNodes';

export const ForcedNodes = form(
  NAME,
  'Nodes that run again although nothing about them changed',
  {
    version: VERSION,
    all: Type.Boolean({ description: 'Every node, also those inside sub-recipes.' }),
    nodes: may(listOf(nodeName('Of a node.'), 'Names of nodes.', NODES)),
    sub_recipes: may(byName(part(NAME), 'What is forced inside, by the names of recipe nodes.')),
  },
  {
    examples: [
      ...REPROCESSES.map(({ forced_nodes: forced }) => forced),
      { all: false, nodes: ['inner'], sub_recipes: { inner: { all: true } } },
    ],
  },
);
