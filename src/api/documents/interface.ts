/** Interfaces, the data for them, and filters of such data (`domain/interface`, `domain/data`, `domain/filter`). */
import { Type } from '@sinclair/typebox';
import { FILTER_CONDITIONS, FILTER_TYPES } from '../../domain/filter/filter.ts';
import { JSON_TYPES } from '../../domain/interface/interface.ts';
import { id } from '../../http/schema.ts';
import { JOB } from '../shared/examples.ts';
import { byName, closed, form, listOf, may, text, VERSION, yesOrNo } from './fields.ts';

const NAME = text('Letters, underscores and hyphens.', {
  maxLength: 250,
  pattern: '^(?!__proto__$)[a-zA-Z_-]+$',
});
const REQUIRED = yesOrNo('Default: true.');
const PARAMETERS = { maxItems: 1_000 };

export const Interface = form(
  'Interface',
  'Parameters: the files and JSON values that something takes',
  {
    version: VERSION,
    files: may(
      listOf(
        closed({
          name: NAME,
          media_types: may(
            listOf(text('Such as `text/plain`.', { maxLength: 250 }), 'What it takes; none: any.', {
              maxItems: 100,
            }),
          ),
          required: REQUIRED,
          multiple: yesOrNo('Takes several files. Default: false.'),
        }),
        'Files.',
        PARAMETERS,
      ),
    ),
    json: may(
      listOf(
        closed({
          name: NAME,
          type: Type.Unsafe({ type: 'string', enum: [...JSON_TYPES] }),
          required: REQUIRED,
        }),
        'JSON values. A name is used once, in `files` or in `json`.',
        PARAMETERS,
      ),
    ),
  },
  {
    examples: [
      { files: [{ name: 'TEXT' }] },
      {
        files: [{ name: 'IMAGES', media_types: ['image/tiff'], multiple: true }],
        json: [{ name: 'THRESHOLD', type: 'number', required: false }],
      },
    ],
  },
);

export const Data = form(
  'DataValues',
  'Values for the parameters of an interface',
  {
    version: VERSION,
    files: may(
      byName(
        Type.Union([Type.Array(id(), { minItems: 1, maxItems: 100_000 }), Type.Null()]),
        'Ids of files, in a list, by the names of parameters.',
      ),
    ),
    json: may(byName(Type.Unknown(), 'JSON values by the names of parameters.')),
  },
  { examples: [JOB.input, { files: { IMAGES: [7, 8] }, json: { THRESHOLD: 0.5 } }] },
);

const FILE_VALUE = Type.Union([Type.Unsafe({ type: 'string', enum: ['FILE_VALUE'] }), id()]);

export const DataTemplate = form(
  'DataTemplate',
  'Values with `FILE_VALUE` where the id of a file goes',
  {
    version: VERSION,
    files: byName(
      Type.Union([FILE_VALUE, Type.Array(FILE_VALUE, { minItems: 1, maxItems: 100_000 })]),
      'By the names of parameters.',
    ),
    json: may(byName(Type.Unknown(), 'JSON values by the names of parameters.')),
  },
  { examples: [{ files: { TEXT: 'FILE_VALUE' } }, { files: { TEXT: ['FILE_VALUE', 7] }, json: {} }] },
);

export const DataFilter = form(
  'DataFilter',
  'A test of data: what a condition accepts',
  {
    version: VERSION,
    filters: may(
      listOf(
        closed({
          name: text('Of the parameter that is tested.', { maxLength: 250 }),
          type: Type.Unsafe({
            type: 'string',
            enum: [...FILTER_TYPES],
            description:
              'That of the parameter; or, of files, what is looked at: `filename`, `media-type`, ' +
              '`data-type` (labels) or `meta-data`.',
          }),
          condition: Type.Unsafe({
            type: 'string',
            enum: [...FILTER_CONDITIONS],
            description:
              'The given value stands on the left: `<` with 100 passes for 101, since 100 < 101. Texts take ' +
              '`==`, `!=`, `in`, `not in`, `contains`; numbers the signs, `between`, `in`, `not in`; booleans ' +
              '`==`, `!=`; objects and meta-data `subset of`, `superset of`, and all with `fields`.',
          }),
          values: listOf(
            Type.Unknown(),
            'What is compared with. Of several values, one that passes is enough. With `fields`, one list for each ' +
              'path.',
            { minItems: 1 },
          ),
          fields: may(
            listOf(
              Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
              'Paths into an object or meta-data, as many as `values` has lists.',
              { minItems: 1 },
            ),
          ),
          all_fields: yesOrNo('Every path must pass, not just one. Default: true.'),
          all_files: yesOrNo('Every file must pass, not just one. Default: false.'),
        }),
        'None: nothing is accepted.',
        { maxItems: 1_000 },
      ),
    ),
    all: yesOrNo('Every filter must pass, not just one. Default: true.'),
  },
  {
    examples: [
      { filters: [{ name: 'WORDS', type: 'integer', condition: '<', values: [100] }] },
      {
        filters: [
          { name: 'TEXT', type: 'media-type', condition: 'in', values: ['text/plain', 'text/csv'] },
          { name: 'META', type: 'object', condition: '==', values: [['a']], fields: [['origin', 'name']] },
        ],
        all: false,
      },
    ],
  },
);
