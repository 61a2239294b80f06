/** What is listed of bodies that are not accepted: what ajv finds, at a cost that grows with the body alone. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { serviceRoutes } from '../../../src/api/service.ts';
import { PROBLEMS_MAX, problemCount } from '../../../src/domain/validation.ts';
import { checkBody, closedSchema } from '../../../src/http/body/body.ts';
import type { Route } from '../../../src/http/route.ts';
import { seeded } from '../../e2e/harness/work/seeded.ts';
import { type Schema, SchemaValues } from '../../fuzz/schema-values.ts';
import { makeThings } from '../../support/things.ts';
import { WorkCounter } from '../../support/work-counter.ts';

const VALUES = 200;
/** Blocks of code for a byte of a body that is wrong throughout. */
const BLOCKS_PER_BYTE = 20;

/** Documents in bodies are checked by those who read them, not by the body's schema. */
function withoutForms<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'x-form' ? undefined : value)));
}

t.test('problem lists: a walk finds what ajv finds, for the body of every route', async (t) => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  ajv.addFormat('date-time', true);
  const values = new SchemaValues(seeded(t), { components: { schemas: {} } } as never);
  const routes: readonly Route<never>[] = serviceRoutes('1.0.0');
  let wrongCount = 0;
  for (const { method, path, body: schema } of routes) {
    if (schema === undefined) continue;
    const validate = ajv.compile(closedSchema(withoutForms(schema)));
    for (let index = 0; index < VALUES; index += 1) {
      const value = plain(values.value(schema as Schema, 0.9));
      const checked = checkBody(schema, value);
      if (checked.ok) continue;
      wrongCount += 1;
      if (problemCount(checked.errors) > PROBLEMS_MAX) continue;
      if (validate(value)) {
        t.fail(`${method} ${path}: ajv accepts ${JSON.stringify(value)}`);
        continue;
      }
      const listed = new Set(checked.errors.map((problem) => problem.path));
      for (const { instancePath, keyword, params, schemaPath } of validate.errors ?? []) {
        if (keyword === 'anyOf' || schemaPath.includes('/anyOf/') || params.type === 'null') continue;
        const at = pathOf(instancePath, value, params.missingProperty ?? params.additionalProperty);
        if (!listed.has(at)) t.fail(`${method} ${path}: nothing is said of ${at} (${keyword})`);
      }
    }
  }
  t.ok(wrongCount > 1_000, `${wrongCount} bodies were wrong`);
});

t.test('problem lists: of 9,000 wrong fields a hundred are listed, and the others counted', async (t) => {
  const { call } = makeThings();
  const fields = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`f${index}`, 1]));
  const { status, json } = await call('PATCH', '/v6/things/7/', fields);
  t.equal(status, 400);
  t.equal(json.errors.length, PROBLEMS_MAX + 1);
  t.equal(problemCount(json.errors), 9_000);
  t.match(json.detail, /\(and 8999 more\)$/);
  t.match(json.errors.at(-1), { name: 'TOO_MANY_PROBLEMS', count: 8_900, path: '' });
  const checked = await call('POST', '/v6/things/validation/', { title: 'x', ...fields });
  t.equal(problemCount(checked.json.errors), 9_000, 'nor those that a validation finds');
  t.equal(checked.json.errors.length, PROBLEMS_MAX + 1);
  const { call: lenient } = makeThings({}, '/api');
  const warned = await lenient('POST', '/api/v6/things/validation/', { title: 'x', ...fields });
  t.equal(problemCount(warned.json.warnings), 9_000, 'nor warnings');
  t.equal(warned.json.warnings.length, PROBLEMS_MAX + 1);
});

t.test(
  'problem lists: in a list that is too long, only as many items as allowed and one more are checked',
  async (t) => {
    const { call } = makeThings();
    const { json } = await call('POST', '/v6/things/', { title: 'x', rules: new Array(9_000).fill(1) });
    const places = json.errors.map(({ name, path }: { name: string; path: string }) => `${name} ${path}`);
    t.strictSame(places, ['TOO_MANY_ITEMS rules', ...[0, 1, 2, 3].map((at) => `WRONG_TYPE rules[${at}]`)]);
  },
);

t.test('problem lists: the cost grows with the size of the body alone', async (t) => {
  const counter = await WorkCounter.start();
  t.teardown(() => counter.stop());
  const { call } = makeThings();
  for (const count of [1_000, 15_000]) {
    const fields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));
    const near = Object.fromEntries(Array.from({ length: count }, (_, index) => [`is_pau${index}`, 1]));
    for (const [method, target, body] of [
      ['POST', '/v6/things/', { title: 'x', rules: Array.from({ length: count }, () => 1) }],
      ['POST', '/v6/things/', { title: 'x', rules: Array.from({ length: count }, () => ({ regex: 1 })) }],
      ['POST', '/v6/things/', { title: 'x', ...fields }],
      ['PATCH', '/v6/things/7/', fields],
      ['PATCH', '/v6/things/7/', near],
    ] as const) {
      const text = JSON.stringify(body);
      const json = { 'content-type': 'application/json' };
      const { blocks, most } = await counter.count(() => call(method, target, text, json));
      const perByte = blocks / text.length;
      t.ok(perByte < BLOCKS_PER_BYTE, `${perByte.toFixed(1)} blocks a byte of ${text.length}: ${most[0]}`);
    }
  }
});

/** Without what is read otherwise than ajv does: null counts as absent, and `__proto__` is refused by the parser. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : plain(item)));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => item !== null && key !== '__proto__');
  return Object.fromEntries(kept.map(([key, item]) => [key, plain(item)]));
}

function pathOf(pointer: string, root: unknown, field: string | undefined): string {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (field !== undefined) keys.push(field);
  let [path, at] = ['', root];
  for (const key of keys) {
    path += Array.isArray(at) ? `[${key}]` : `${path === '' ? '' : '.'}${key}`;
    at = (at as Record<string, unknown> | undefined)?.[key];
  }
  return path;
}
