/**
 * The schemas of documents in OpenAPI and the checks of the service agree: on every example, and on what becomes of it
 * when anything in it is left out, misspelt, or replaced by something else.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import t from 'tap';
import { Fields } from '../../../src/domain/document/fields.ts';
import type { Problem } from '../../../src/domain/validation.ts';
import { components, FORMS, paths } from './samples.ts';

// biome-ignore lint/suspicious/noExplicitAny: schemas of any shape
type Schema = any;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'https://millrace.test/', components });
const validatorOf = (name: string): ValidateFunction =>
  ajv.compile({ $ref: `https://millrace.test/#/components/schemas/${name}` });

const INSTEAD: readonly unknown[] = [
  ...[null, true, 0, -1, 1, 1.5, 2 ** 31, 2 ** 53, '', ' ', 'x', 'a b', '/x', '..', 'ä', '1', '0'],
  ...['x'.repeat(20_000), [], ['x'], [1], [[]], {}, { x: 1 }, Array(10_001).fill('x')],
];

type Path = readonly (string | number)[];

function* places(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* places(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** A copy in which `change` was done to what holds the last step of the path. */
function changed(
  document: object,
  path: Path,
  change: (holder: Schema, key: string | number) => void,
): unknown {
  const copy: Schema = { whole: structuredClone(document) };
  const steps: Path = ['whole', ...path];
  const holder = steps.slice(0, -1).reduce((at: Schema, step) => at[step], copy);
  change(holder, steps.at(-1) as string | number);
  return copy.whole;
}

/** The document with one thing about it changed, and in words what that is. */
function* variants(document: object): Generator<readonly [what: string, variant: unknown]> {
  for (const path of places(document)) {
    const at = path.join('.');
    for (const value of INSTEAD) {
      // Whether there may be none at all is up to what holds the document.
      if (value === null && path.length === 0) continue;
      const shown = JSON.stringify(value);
      yield [
        `${at} = ${shown.length > 40 ? `${shown.length} characters` : shown}`,
        changed(document, path, (holder, key) => {
          holder[key] = value;
        }),
      ];
    }
    if (path.length === 0) continue;
    yield [
      `without ${at}`,
      changed(document, path, (holder, key) => {
        if (Array.isArray(holder)) holder.splice(key as number, 1);
        else delete holder[key];
      }),
    ];
    yield [
      `beside ${at}`,
      changed(document, path, (holder) => {
        if (!Array.isArray(holder)) holder.nobody_knows = 'x';
      }),
    ];
  }
}

/** What a schema cannot say: the service's words for it. */
const MEANING: readonly RegExp[] = [
  ...[/is reserved/, /^'THRESHOLD' must be of type/, /is taken by/, /given twice/, /used twice/],
  ...[/mapped twice/, /whole number/, /inside the output/, /mount path must/, /'host_path' must/],
  ...[/must be absolute/, /must not have/, /cannot (watch|walk)/, /must lie inside/, /NATS subject/],
  ...[/SQS queue/, /as many entries as/, /must itself be an array/, /takes the conditions/],
  ...[/MISMATCHED_TYPE/, /absent or the same/, /is required where/, /has both files/],
  ...[/have 'FILE_VALUE'/, /the name of a parameter and/, /takes (files|a JSON value)/],
  ...[/takes one file/, /required input/, /'access_key_id' is required/],
  ...[/secret_access_key' is required/, /credentials.access_key_id' is required/],
];

const isMeaning = ({ description }: Problem): boolean => MEANING.some((words) => words.test(description));

for (const { name, judge, samples } of FORMS) {
  const schema: Schema = components.schemas[name];
  const documents: readonly object[] = [...(schema.examples ?? []), ...samples];

  t.test(`documents: ${name}: it has titles, and examples that schema and service accept`, async (t) => {
    t.ok(typeof schema.title === 'string' && schema.title !== '', 'a title');
    t.ok(schema.examples?.length > 0, 'examples');
    const validate = validatorOf(name);
    for (const document of documents) {
      t.ok(validate(document), `${JSON.stringify(document)}: ${ajv.errorsText(validate.errors)}`);
      t.strictSame(judge(document), [], JSON.stringify(document));
    }
  });

  t.test(`documents: ${name}: schema and service agree about changed examples`, async (t) => {
    const validate = validatorOf(name);
    const wrong: string[] = [];
    let refusedCount = 0;
    for (const document of documents) {
      for (const [what, variant] of variants(document)) {
        const problems = judge(variant);
        const isFine = validate(variant);
        if (problems.length > 0) refusedCount += 1;
        if (isFine && problems.some((problem) => !isMeaning(problem)))
          wrong.push(`only the service refuses ${what}: ${JSON.stringify(problems.slice(0, 2))}`);
        if (!isFine && problems.length === 0)
          wrong.push(`only the schema refuses ${what}: ${ajv.errorsText(validate.errors)}`);
      }
    }
    t.strictSame(wrong.slice(0, 10), [], `${wrong.length} judged otherwise`);
    t.ok(refusedCount > 20, `${refusedCount} were wrong`);
  });
}

/** Names of fields in a schema, and in those that it refers to. */
function* fieldsOf(schema: Schema, known = new Set<string>()): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1);
    if (!known.has(name)) yield* fieldsOf(components.schemas[name], known.add(name));
    return;
  }
  for (const name of Object.keys(schema.properties ?? {})) yield name;
  for (const [key, inner] of Object.entries(schema)) if (key !== 'examples') yield* fieldsOf(inner, known);
}

t.test('documents: the samples have every field of every form', async (t) => {
  for (const { name, samples } of FORMS) {
    const schema: Schema = components.schemas[name];
    const text = JSON.stringify([schema.examples, samples]);
    // Interfaces, data and filters inside other documents have samples of their own.
    for (const field of new Set(fieldsOf({ ...schema, examples: undefined })))
      t.ok(
        text.includes(`"${field}":`) || JSON.stringify(FORMS).includes(`"${field}":`),
        `${name}: ${field}`,
      );
  }
});

t.test('documents: the forms have every field that the service reads', async (t) => {
  const { raw } = Fields.prototype;
  t.teardown(() => {
    Fields.prototype.raw = raw;
  });
  for (const { name, judge, samples } of FORMS) {
    const read = new Set<string>();
    Fields.prototype.raw = function (key) {
      read.add(key);
      return raw.call(this, key);
    };
    for (const document of samples) judge(document);
    t.ok(read.size > 0);
    const known = new Set(fieldsOf(components.schemas[name]));
    t.strictSame(
      [...read].filter((key) => !known.has(key)),
      [],
      name,
    );
  }
});

/** Places in a schema that take any object, without a word about what is in it. */
function* unsaid(schema: Schema, path: string, known = new Set<string>()): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1);
    if (!known.has(name)) yield* unsaid(components.schemas[name], name, known.add(name));
    return;
  }
  const isBare = ['properties', 'additionalProperties', 'patternProperties'].every((key) => !(key in schema));
  if (schema.type === 'object' && isBare) yield path;
  for (const [key, inner] of Object.entries(schema))
    if (key !== 'examples') yield* unsaid(inner, `${path}.${key}`, known);
}

t.test('documents: every document in a body has a form', async (t) => {
  const bodies = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ operationId, schema })),
    ),
  );
  t.ok(bodies.length > 40, `${bodies.length} bodies`);
  for (const { operationId, schema } of bodies)
    t.strictSame([...unsaid(schema, operationId)], [], operationId);
  const named = new Set([...JSON.stringify(bodies).matchAll(/schemas\/(\w+)/g)].map(([, name]) => name));
  t.ok(named.size > 20);
});
