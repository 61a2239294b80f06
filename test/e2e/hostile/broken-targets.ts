/** Paths and queries with something broken in them, made from the OpenAPI document. */
import type { OpenApiDocument, OpenApiParameter } from '../../../src/http/openapi.ts';
import type { Sent } from './sender.ts';

export interface BrokenTarget {
  readonly sent: Sent;
  /** Statuses that are right; none: whatever is no failure of ours. */
  readonly statuses: readonly number[];
  /** The parameter that must be named. */
  readonly named?: string;
}

/** Texts that no id, name or number of a record is. */
const NO_RECORD = [
  ...['abc', '0', '-1', '9'.repeat(30), '9223372036854775808', '1.5', '1e3', '+1', '%201', '%2e%2e', '%2F'],
  ...['..%2f..%2fetc', '__proto__', 'constructor', "'", '*', '%F0%9F%98%80', 'x'.repeat(5_000)],
];
const BAD_ENCODING = ['%00', '%ED%A0%80', '%ZZ', '%'];

const BAD_INTEGERS = [
  'x',
  '',
  '1.5',
  '1e3',
  '0x10',
  'NaN',
  'null',
  '%20',
  '1;2',
  '9'.repeat(30),
  '9223372036854775808',
];
const BAD_FLAGS = ['maybe', '', '2', 'yes', 'null'];
const BAD_CHOICES = ['NOPE', '-', '--id', 'id,name', 'id;drop', '__proto__', 'constructor', 'x'.repeat(300)];
const BAD_TIMES = [
  ...[
    'yesterday',
    '12',
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '0000-00-00T00:00:00Z',
  ],
  ...['99999-01-01T00:00:00Z', 'PT', 'P-1D', 'P1Y2M3DT4H5M6S7', 'P99999999999999999Y', 'x'.repeat(1_000)],
];
/** Odd, and for some parameters right. */
const ODD = [
  ...[
    '',
    '%25',
    '%5C',
    '_',
    "'",
    '%E2%80%AE',
    '-1',
    '0',
    '9007199254740991',
    '2147483648',
    'x'.repeat(20_000),
  ],
  ...['PT1S', 'P100Y', 'P9999Y', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '2026-01-01T00:00:00+14:00'],
];

type Fill = Readonly<Record<string, string>>;

/** `fill`: a value for each parameter of a path, by operation path and name. */
export function brokenTargets(document: OpenApiDocument, fill: (path: string) => Fill): BrokenTarget[] {
  const all: BrokenTarget[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [word, operation] of Object.entries(operations)) {
      const method = word.toUpperCase();
      const body = operation.requestBody === undefined ? {} : { body: {} };
      for (const parameter of operation.parameters) {
        if (parameter.in === 'path')
          all.push(...brokenPaths({ method, ...body }, path, fill(path), parameter.name));
        else if (method === 'GET') all.push(...brokenQueries(targetOf(path, fill(path)), parameter));
      }
    }
  }
  return all;
}

export function targetOf(path: string, fill: Fill): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? '1');
}

function brokenPaths(sent: Omit<Sent, 'target'>, path: string, fill: Fill, name: string): BrokenTarget[] {
  // A name that nobody has: its versions are an empty list.
  const isList = path === '/v6/job-types/{name}/';
  // tus has the version of the protocol checked before all else.
  const isUpload = path.startsWith('/v6/workspaces/{name}/uploads/');
  const wrong = NO_RECORD.map((value) => ({
    sent: { ...sent, target: targetOf(path, { ...fill, [name]: value }) },
    statuses: isList ? [200] : isUpload ? [400, 404, 412] : [400, 404],
  }));
  const malformed = BAD_ENCODING.map((value) => ({
    sent: { ...sent, target: targetOf(path, { ...fill, [name]: value }) },
    statuses: [400],
  }));
  return [...wrong, ...malformed];
}

function brokenQueries(target: string, { name, schema }: OpenApiParameter): BrokenTarget[] {
  const wrong = wrongValues(name, schema as Schema).map((value) => ({
    ...{ sent: { method: 'GET', target: `${target}?${name}=${value}` }, statuses: [400], named: name },
  }));
  const malformed = BAD_ENCODING.map((value) => ({
    ...{ sent: { method: 'GET', target: `${target}?${name}=${value}` }, statuses: [400] },
  }));
  const many = Array.from({ length: 2_000 }, (_, index) => `${name}=${index + 1}`).join('&');
  const odd = [...ODD.map((value) => `${name}=${value}`), name, many].map((query) => ({
    ...{ sent: { method: 'GET', target: `${target}?${query}` }, statuses: [] },
  }));
  return [...wrong, ...malformed, ...odd];
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly items?: Schema;
}

function wrongValues(name: string, schema: Schema): readonly string[] {
  const one = schema.items ?? schema;
  if (one.enum !== undefined) return BAD_CHOICES;
  if (one.type === 'boolean') return BAD_FLAGS;
  if (one.type === 'integer') return one.minimum === 1 ? [...BAD_INTEGERS, '0', '-1'] : BAD_INTEGERS;
  return /(^|_)(started|ended)$/.test(name) ? BAD_TIMES : [];
}
