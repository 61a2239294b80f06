/** Samples with something broken in them, and what a refusal must name. */
import type { OpenApiDocument } from '../../../src/http/openapi.ts';
import { names, type Place, placesOf, withValue } from './places.ts';
import type { Sample } from './samples.ts';
import type { Answer, Sent } from './sender.ts';
import { WRONG_ANYWHERE, type Wrong, wrongFor } from './wrong-values.ts';

export interface Broken {
  readonly sent: Sent;
  /** The places that must be named. */
  readonly places: readonly string[];
  /** For people: what is at them. */
  readonly what: string;
  /** A validation answers 200 with what is wrong. */
  readonly isCheck: boolean;
}

/**
 * Texts without a limit of their own, numbers of any sign, revisions given as digits, settings of recipes as scalars.
 */
const LENIENT: readonly { readonly path: RegExp; readonly what: string; readonly route?: RegExp }[] = [
  { path: /driver_opts\.size$|settings\.LEVEL$|^name$/, what: 'a very long text' },
  { path: /\.code$/, what: 'a negative number' },
  { path: /_revision$|revision_num$/, what: 'a number in quotes' },
  { path: /settings\.LEVEL$/, what: 'a number', route: /\/recipes\// },
  { path: /settings\.LEVEL$/, what: 'true', route: /\/recipes\// },
];
/** What a type decides about its neighbours can be told only of a known type. */
const DISCRIMINATOR = /\.(type|node_type)$/;

function broken(sample: Sample, changes: readonly (readonly [Place, Wrong])[]): Broken {
  const body = changes.reduce<unknown>(
    (doc, [place, wrong]) => withValue(doc, place.keys, wrong.value),
    sample.body,
  );
  return {
    sent: { method: sample.method, target: sample.target, body },
    places: changes.map(([place]) => place.path),
    what: changes.map(([place, wrong]) => `${place.path} = ${wrong.what}`).join(' and '),
    isCheck: sample.route.endsWith('/validation/'),
  };
}

/** What is wrong at a place of a sample. */
export function wrongAt(sample: Sample, place: Place): readonly Wrong[] {
  const isFree = sample.free?.test(place.path) ?? false;
  const wrong = isFree ? WRONG_ANYWHERE : wrongFor(place.value);
  return wrong.filter(({ what }) => {
    return !LENIENT.some(
      ({ path, route = /^/, ...one }) =>
        one.what === what && path.test(place.path) && route.test(sample.route),
    );
  });
}

/** Each place broken in each way, one at a time. */
export function brokenOnce(sample: Sample): Broken[] {
  const all: Broken[] = [];
  for (const place of placesOf(sample.body)) {
    for (const wrong of wrongAt(sample, place)) all.push(broken(sample, [[place, wrong]]));
    if (sample.required.includes(place.path)) {
      for (const value of [null, undefined]) all.push(broken(sample, [[place, { what: `${value}`, value }]]));
    }
    if (typeof place.value !== 'object' || Array.isArray(place.value)) continue;
    const [keys, path] = [[...place.keys, '__proto__'], `${place.path}.__proto__`];
    all.push(
      broken(sample, [
        [
          { keys, path, value: undefined },
          { what: 'added', value: 1 },
        ],
      ]),
    );
  }
  return all;
}

/** Two places broken, neither within the other. `pick` chooses among many. */
export function brokenTwice(sample: Sample, count: number, pick: <T>(from: readonly T[]) => T): Broken[] {
  const places = placesOf(sample.body).filter((place) => wrongAt(sample, place).length > 0);
  const all: Broken[] = [];
  for (let tries = 0; all.length < count && tries < count * 20; tries += 1) {
    const [one, other] = [pick(places), pick(places)];
    if (names(one.path, other.path) || names(other.path, one.path)) continue;
    if (decides(one.path, other.path) || decides(other.path, one.path)) continue;
    // Nobody looks further in what is nested too deep.
    const known = (place: Place) => wrongAt(sample, place).filter(({ what }) => what !== 'deep nesting');
    const wrong = (place: Place) => [place, pick(known(place))] as const;
    all.push(broken(sample, [wrong(one), wrong(other)]));
  }
  return all;
}

/** Whether the type at `type` decides what the other place means. */
function decides(type: string, other: string): boolean {
  return DISCRIMINATOR.test(type) && other.startsWith(`${type.slice(0, type.lastIndexOf('.'))}.`);
}

/** What is wrong with the answer to a broken body; undefined when nothing is. */
export function complaint({ places, isCheck }: Broken, answer: Answer): string | undefined {
  const { status, json, text } = answer;
  const isRefused = isCheck ? json?.is_valid === false || status === 400 : status === 400;
  if (!isRefused) return `${status} ${text.slice(0, 300)}`;
  const shape = shapeComplaint(answer, isCheck && status === 200);
  if (shape !== undefined) return shape;
  const problems = json.errors as { path: string }[];
  const missing = places.filter((place) => !problems.some(({ path }) => names(path, place)));
  return missing.length === 0 ? undefined : `does not name ${missing.join(', ')}: ${text.slice(0, 300)}`;
}

/** What is wrong with the form of a refusal. */
export function shapeComplaint({ json, text }: Answer, isCheck = false): string | undefined {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  // A sentence that begins with a colon has lost what it is about.
  const isSentence = isText(json?.detail) && !/^\s*:/.test(json.detail);
  const isRefusal = isCheck || (isSentence && isText(json?.code));
  const areProblems =
    Array.isArray(json?.errors) &&
    json.errors.every(
      (one: Record<string, unknown>) =>
        isText(one.name) && isText(one.description) && typeof one.path === 'string',
    );
  return isRefusal && areProblems ? undefined : `is no refusal of ours: ${text.slice(0, 300)}`;
}

interface BodySchema {
  readonly type?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly BodySchema[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly enum?: readonly string[];
}

/** A value of each type, to know what is wrong instead of it. */
const OF_TYPE: Readonly<Record<string, unknown>> = {
  ...{ string: 'x', boolean: true, integer: 1, number: 0.5, array: [], object: {} },
};

/** Calls that have no sample: each field of their bodies broken, as far as the document says what it is. */
export function brokenBySchema(
  document: OpenApiDocument,
  samples: readonly Sample[],
  target: (path: string) => string,
): Broken[] {
  const all: Broken[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [word, { requestBody }] of Object.entries(operations)) {
      const method = word.toUpperCase();
      // Contents of files are bytes.
      const schema = requestBody?.content['application/json']?.schema as BodySchema | undefined;
      if (schema === undefined) continue;
      if (samples.some((sample) => sample.route === path && sample.method === method)) continue;
      for (const [name, property] of Object.entries(resolved(schema, document).properties ?? {})) {
        // Read only with a definition, whose absence is refused first.
        if (name === 'data_template') continue;
        for (const wrong of wrongBySchema(resolved(property, document))) {
          all.push({
            sent: { method, target: target(path), body: { [name]: wrong.value } },
            ...{ places: [name], what: `${name} = ${wrong.what}`, isCheck: path.endsWith('/validation/') },
          });
        }
      }
    }
  }
  return all;
}

function resolved(schema: BodySchema, document: OpenApiDocument): BodySchema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice('#/components/schemas/'.length);
    return resolved(document.components.schemas[name] as BodySchema, document);
  }
  const others = schema.anyOf?.filter((one) => one.type !== 'null') ?? [];
  // Nothing is known of other unions: what is wrong for one form may be right for another.
  return others.length === 1 ? resolved(others[0] as BodySchema, document) : schema;
}

function wrongBySchema({ type = '', maxLength, minimum, enum: choices }: BodySchema): readonly Wrong[] {
  if (!Object.hasOwn(OF_TYPE, type)) return WRONG_ANYWHERE.filter(({ what }) => what !== 'deep nesting');
  return wrongFor(OF_TYPE[type]).filter(({ what }) => {
    if (what === 'a very long text') return maxLength !== undefined || choices !== undefined;
    return what !== 'a negative number' || (minimum ?? -1) >= 0;
  });
}
