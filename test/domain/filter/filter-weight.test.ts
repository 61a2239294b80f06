/** Which filters are evaluated by the caller itself, because they take little work. */
import t from 'tap';
import type { DataFilter } from '../../../src/domain/filter/filter.ts';
import type { FileFacts, FilterData } from '../../../src/domain/filter/filter-evaluate.ts';
import { areLight } from '../../../src/domain/filter/filter-weight.ts';
import type { FilterTask } from '../../../src/evaluator/evaluate.ts';
import { checkFilter } from '../../support/filters.ts';

function filterOf(entry: Record<string, unknown>): DataFilter {
  const checked = checkFilter({ filters: [{ name: 'P', condition: '==', values: [1], ...entry }] });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
}
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const texts = (count: number): string[] => numbers(count).map((at) => `value ${at}`);
const json = (P: unknown): FilterData => ({ files: {}, json: { P } as FilterData['json'] });
const file = (over: Partial<FileFacts> = {}): FileFacts => ({
  ...{ fileName: 'a', mediaType: 'text/plain', dataTypes: [], metaData: null },
  ...over,
});
const files = (count: number, over?: Partial<FileFacts>): FilterData => ({
  files: { P: Array.from({ length: count }, () => file(over)) },
  json: {},
});
const many = (count: number, task: FilterTask): FilterTask[] => Array.from({ length: count }, () => task);

t.test(
  'filter weight: filters with few values are light, even for many files or a thousand evaluations',
  async (t) => {
    const integer = filterOf({ type: 'integer', condition: '<' });
    t.ok(areLight([]));
    t.ok(areLight(many(1_000, { filter: integer, data: json(5) })));
    const name = filterOf({ type: 'filename', condition: 'contains', values: ['_final'] });
    t.ok(
      areLight([{ filter: name, data: files(100_000) }]),
      'sending the facts to a thread would take longer',
    );
    t.notOk(areLight(many(50_000, { filter: integer, data: json(5) })), 'a call has a limit as well');
  },
);

t.test('filter weight: the values count once for each file that they are compared with', async (t) => {
  const numeric = filterOf({ type: 'integer', condition: 'in', values: numbers(5_000) });
  t.ok(areLight([{ filter: numeric, data: json(1) }]));
  t.notOk(areLight(many(10, { filter: numeric, data: json(1) })));
  for (const type of ['filename', 'media-type', 'data-type']) {
    const filter = filterOf({ type, condition: 'in', values: texts(50) });
    t.ok(areLight([{ filter, data: files(100, { dataTypes: ['x'] }) }]), type);
    t.notOk(areLight([{ filter, data: files(1_000, { dataTypes: ['x'] }) }]), type);
  }
});

t.test(
  'filter weight: texts that are searched and objects that are walked count by their size',
  async (t) => {
    const text = filterOf({ type: 'string', condition: 'contains', values: ['a', 'b', 'c'] });
    t.ok(areLight([{ filter: text, data: json('x'.repeat(1_000)) }]));
    t.notOk(areLight([{ filter: text, data: json('x'.repeat(5_000_000)) }]));
    const large = Object.fromEntries(texts(20_000).map((key) => [key, { key }]));
    const object = filterOf({ type: 'object', condition: 'superset of', values: [{ a: 1 }] });
    t.ok(areLight([{ filter: object, data: json({ a: 1, b: [1, 2, null] }) }]));
    t.notOk(areLight([{ filter: object, data: json(large) }]));
    t.notOk(
      areLight([
        { filter: filterOf({ type: 'object', condition: 'subset of', values: [large] }), data: json({}) },
      ]),
    );
    const fields = { condition: 'contains', fields: [['a'], ['b', 'c']], values: [['x'], ['y']] };
    const metaData = filterOf({ type: 'meta-data', ...fields });
    t.ok(areLight([{ filter: metaData, data: files(10, { metaData: { a: 'x' } }) }]));
    t.notOk(areLight([{ filter: metaData, data: files(2, { metaData: large as FileFacts['metaData'] }) }]));
    t.notOk(areLight([{ filter: metaData, data: files(10_000) }]));
  },
);

t.test(
  'filter weight: parameters without data weigh nothing, even if named like a member of every object',
  async (t) => {
    for (const name of ['missing', 'constructor', '__proto__', 'length']) {
      for (const type of ['filename', 'object', 'meta-data']) {
        const condition = type === 'filename' ? 'in' : 'superset of';
        const values = type === 'filename' ? texts(100) : [{}];
        t.ok(
          areLight([{ filter: filterOf({ name, type, condition, values }), data: json(1) }]),
          `${type} ${name}`,
        );
      }
    }
  },
);
