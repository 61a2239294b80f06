/** The documents of batches and datasets (`domain/batch/batch-documents.ts`, `domain/dataset/dataset.ts`). */
import { id } from '../../http/schema.ts';
import { closed, form, listOf, may, text, VERSION, whole, yesOrNo } from './fields.ts';
import { Data, Interface } from './interface.ts';
import { ForcedNodes } from './recipe-definition.ts';

export const BatchDefinition = form(
  'BatchDefinition',
  'What a batch runs on: a dataset, or the recipes of a previous batch',
  {
    version: VERSION,
    dataset: may(id('Its members become recipes.')),
    supersedes: yesOrNo('Reprocess current recipes that have the same input, instead of starting new ones.'),
    forced_nodes: may({ ...ForcedNodes, description: 'What runs again although nothing changed.' }),
    previous_batch: may(
      closed(
        {
          root_batch_id: id('The first batch of the chain whose recipes are reprocessed.'),
          forced_nodes: may({ ...ForcedNodes, description: 'What runs again although nothing changed.' }),
        },
        { description: 'If it is given, the dataset is ignored.' },
      ),
    ),
  },
  {
    examples: [
      { dataset: 4, supersedes: true, forced_nodes: { all: true } },
      { previous_batch: { root_batch_id: 2, forced_nodes: { all: false, nodes: ['compress'] } } },
    ],
  },
);

export const BatchConfiguration = form(
  'BatchConfiguration',
  'How the recipes of a batch run',
  {
    version: VERSION,
    priority: may(
      whole('The priority of all its jobs; it overrides the priorities of recipes and job types.', {
        minimum: 1,
      }),
    ),
    inputMap: may(
      listOf(
        closed({
          input: text('An input of the recipe; each at most once.', { maxLength: 250 }),
          datasetParameter: text('The parameter of the dataset that feeds it.', { maxLength: 250 }),
        }),
        'Inputs whose names differ from those of the parameters that feed them.',
        { minItems: 1, maxItems: 1_000 },
      ),
    ),
  },
  { examples: [{ priority: 10, inputMap: [{ input: 'TEXT', datasetParameter: 'DOCUMENT' }] }] },
);

export const DatasetDefinition = form(
  'DatasetDefinition',
  'The parameters of the members of a dataset, and data that all share',
  {
    version: VERSION,
    parameters: may({ ...Interface, description: 'Of each member.' }),
    global_parameters: may({ ...Interface, description: 'Of all members together.' }),
    global_data: may({ ...Data, description: 'Values for the global parameters; required with them.' }),
  },
  {
    examples: [
      { parameters: { files: [{ name: 'TEXT' }] } },
      {
        parameters: { files: [{ name: 'TEXT' }] },
        global_parameters: { json: [{ name: 'THRESHOLD', type: 'number' }] },
        global_data: { json: { THRESHOLD: 0.5 } },
      },
    ],
  },
);
