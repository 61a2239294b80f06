/** What differs between two definitions of a recipe type, as answers show it. */
import { Type } from '@sinclair/typebox';
import type { NodeDiffStatus } from '../../domain/recipe/recipe-diff.ts';
import { named, oneOf } from '../../http/schema.ts';

const STATUSES = ['UNCHANGED', 'CHANGED', 'NEW', 'DELETED'] as const satisfies readonly NodeDiffStatus[];

const reasons = (description: string) =>
  Type.Array(Type.Object({ name: Type.String(), description: Type.String() }), { description });

const NodeDifference = Type.Object({
  status: oneOf(STATUSES, 'A node is CHANGED also if one that it depends on is.'),
  changes: reasons('What differs, by kind and in words.'),
  reprocess_new_node: Type.Boolean({ description: 'Whether reprocessing runs the node again.' }),
  force_reprocess: Type.Boolean({ description: 'Whether it runs again because the request forces it.' }),
  dependencies: Type.Array(Type.Object({ name: Type.String() })),
  prev_node_type: Type.Optional(oneOf(['job', 'recipe', 'condition'], 'If it was of another kind.')),
  node_type: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description:
      'As in the definition, a condition only by its kind. Fields that differ have their old value as prev_….',
  }),
});

export const DefinitionDifference = named(
  'DefinitionDifference',
  Type.Object({
    can_be_reprocessed: Type.Boolean({
      description: 'Whether recipes of the earlier definition can be reprocessed by the later one.',
    }),
    reasons: reasons('Why they cannot.'),
    nodes: Type.Record(Type.String(), NodeDifference, { description: 'Every node of either, by name.' }),
  }),
);

/** Where there may be nothing to compare with. */
export const OptionalDefinitionDifference = Type.Union([
  DefinitionDifference,
  Type.Object({}, { additionalProperties: false }),
]);
