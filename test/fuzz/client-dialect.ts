/** How clients of the public system write what requests say: bodies, query strings and forms, as they send them. */
import type { Sample } from '../e2e/hostile/samples.ts';
import type { SchemaValues } from './schema-values.ts';

/** Paths that are theirs. */
export const CLIENT_PATH = /^\/api[/-]/;

const NAMES: Readonly<Record<string, string>> = { container_image: 'docker_image', queue_name: 'sqs_name' };
const EXTRAS: Readonly<Record<string, readonly unknown[]>> = {
  ...{ version: ['1.0', 6, null], name: ['untitled-strike', null], url: ['/api/v6/jobs/'] },
  ...{ description: [null, ''], transfer_suffix: [null, ''], scanner: [{ type: 's3' }], monitor: [null] },
  ...{ docker_image: [null, 'a:1'], sqs_name: [null, 'q'], error_categories: [[['SYSTEM'], [], '']] },
  ...{ sub_recipes: [{ 'demo-recipe': { all: true } }], status: ['RUNNING'], job_id: [1] },
};
const QUERY_TEXTS = ['null', 'undefined', '', '100000', '-5', 'strike.id', '-error.category', 'nonsense'];
const PIECES = [
  '',
  '',
  'page_size=null',
  'page=0',
  'order=job_type',
  'group=null',
  'sortOrder=desc',
  '=',
  'x',
];
const FORM = 'application/x-www-form-urlencoded';
const BOUNDARY = 'b0undary';

/** The samples of the interface once more, for the same calls under the prefix. */
export function underBoth(samples: readonly Sample[]): readonly Sample[] {
  return samples.flatMap((sample) => [sample, { ...sample, route: `/api${sample.route}` }]);
}

/** A body with some of its words as they know them, and some that only they send. */
export function asTheyWrite(body: unknown, values: SchemaValues, depth = 0): unknown {
  if (depth > 6) return body;
  if (Array.isArray(body)) return body.map((item) => asTheyWrite(item, values, depth + 1));
  if (typeof body !== 'object' || body === null) {
    return body === 'objstore' && values.chance(0.5) ? 's3' : body;
  }
  const entries = Object.entries(body).map(([key, value]): [string, unknown] => {
    const name = values.chance(0.5) ? (NAMES[key] ?? key) : key;
    return [name, asTheyWrite(value, values, depth + 1)];
  });
  if (values.chance(0.15)) {
    const name = values.pick(Object.keys(EXTRAS));
    entries.push([name, values.pick(EXTRAS[name] ?? [])]);
  }
  // As properties, not assigned: a key may be `__proto__`.
  return Object.fromEntries(entries);
}

/** A query string with pieces that say nothing among its own. */
export function withTheirPieces(given: readonly string[], values: SchemaValues): readonly string[] {
  if (!values.chance(0.3)) return given;
  const pieces = given.flatMap((piece) => (values.chance(0.3) ? [values.pick(PIECES), piece] : [piece]));
  return [...pieces, values.pick(PIECES)];
}

/** A value of a query as scripts make one of what is missing, undefined most of the time. */
export function theirQueryText(values: SchemaValues): string | undefined {
  return values.chance(0.15) ? values.pick(QUERY_TEXTS) : undefined;
}

export interface Form {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fields of a body as a form of either kind; broken now and then. */
export function asForm(body: unknown, values: SchemaValues): Form {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  if (values.chance(0.5)) {
    const text = fields.map(([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${plain(value)}`);
    return { body: values.chance(0.1) ? '%ZZ=%&=&&' : text.join('&'), headers: { 'content-type': FORM } };
  }
  const parts = fields.map(([name, value]) => {
    const file = values.chance(0.1) ? '; filename="x"' : '';
    const quoted = name.replace(/[^ -~]|"/g, '');
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${quoted}"${file}\r\n\r\n${value}\r\n`;
  });
  const end = values.chance(0.1) ? '' : `--${BOUNDARY}--\r\n`;
  const type = `multipart/form-data; boundary=${values.chance(0.05) ? 'other' : BOUNDARY}`;
  return { body: `${parts.join('')}${end}`, headers: { 'content-type': type } };
}

function plain(value: unknown): string {
  return encodeURIComponent(`${value}`.toWellFormed()).slice(0, 2_000);
}
