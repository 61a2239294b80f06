/** Random filters over random data: the evaluation agrees with the tables of the documentation. */
import fc from 'fast-check';
import t from 'tap';
import { FILTER_CONDITIONS, FILTER_TYPES } from '../../../src/domain/filter/filter.ts';
import { evaluateFilter, type FilterData } from '../../../src/domain/filter/filter-evaluate.ts';
import { checkFilter } from '../../support/filters.ts';
import { referenceAccepts } from './filter-reference.ts';

/** Few values, so that many of them are equal. */
const NUMBERS = [-1, -0, 0, 1, 1.5, 2, 10, 1e21];
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'abc',
  '1',
  '1.5',
  ' 2 ',
  '10',
  'é',
  '😀',
  'null',
  'toString',
  '__proto__x',
];
const leaf = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  fc.boolean(),
  fc.constant(null),
);
const key = fc.constantFrom('a', 'b', 'toString');
const json = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  ),
})).any;
const object = fc.dictionary(key, json, { maxKeys: 3 });
const path = fc.array(key, { minLength: 1, maxLength: 2 });
const name = fc.constantFrom('X', 'Y');

const values = fc.array(fc.oneof({ weight: 3, arbitrary: leaf }, json, object), {
  minLength: 1,
  maxLength: 3,
});
const entry = fc
  .record(
    {
      name,
      type: fc.constantFrom(...FILTER_TYPES),
      condition: fc.constantFrom(...FILTER_CONDITIONS),
      values,
      paths: fc.option(fc.array(fc.tuple(path, values), { minLength: 1, maxLength: 3 })),
      all_fields: fc.boolean(),
      all_files: fc.boolean(),
    },
    { requiredKeys: ['name', 'type', 'condition', 'values', 'paths'] },
  )
  .map(({ paths, ...plain }) =>
    paths === null
      ? plain
      : { ...plain, fields: paths.map(([one]) => one), values: paths.map(([, its]) => its) },
  );

const file = fc.record({
  fileName: fc.constantFrom(...TEXTS),
  mediaType: fc.constantFrom('a', 'ab', 'text/plain'),
  dataTypes: fc.array(fc.constantFrom('a', 'ab', '1'), { maxLength: 3 }),
  metaData: fc.option(object),
});
const data = fc.record({
  files: fc.dictionary(name, fc.array(file, { maxLength: 3 })),
  json: fc.dictionary(name, fc.oneof({ weight: 4, arbitrary: leaf }, json, object)),
});

/** Numbers of documents that were valid, and of those whose filter accepted. */
let accepted = 0;
let passed = 0;

function holds(document: { filters: unknown[]; all: boolean }, examined: unknown): void {
  const checked = checkFilter(document);
  if (!checked.ok) return;
  accepted += 1;
  const verdict = evaluateFilter(checked.value, examined as FilterData);
  const wanted = referenceAccepts(document.filters as never, document.all, examined as never);
  if (verdict.isAccepted) passed += 1;
  if (verdict.isAccepted !== wanted)
    throw new Error(`evaluation says ${verdict.isAccepted}: ${verdict.reasons}`);
  if (verdict.isAccepted !== (verdict.reasons.length === 0)) throw new Error('reasons belong to refusals');
}

t.test('data filters: a single filter evaluates as the tables say', async (t) => {
  const property = fc.property(entry, data, (one, examined) =>
    holds({ filters: [one], all: true }, examined),
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 20_000 }));
  t.ok(accepted > 5_000, `${accepted} of them valid`);
  t.ok(passed > 500, `${passed} of them passed`);
});

t.test('data filters: several filters together evaluate as the tables say', async (t) => {
  const entries = fc.array(entry, { maxLength: 3 });
  const property = fc.property(entries, fc.boolean(), data, (filters, all, examined) =>
    holds({ filters, all }, examined),
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 10_000 }));
});

t.test('data filters: each valid filter can be evaluated on any data', async (t) => {
  const anything = fc.dictionary(name, fc.jsonValue());
  const property = fc.property(fc.array(entry, { maxLength: 3 }), anything, (filters, values) => {
    const checked = checkFilter({ filters });
    if (checked.ok) evaluateFilter(checked.value, { files: {}, json: values as FilterData['json'] });
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }));
});
