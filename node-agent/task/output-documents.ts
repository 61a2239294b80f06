/**
 * The JSON documents that a task may leave in its output directory: `seed.outputs.json` and side-cars about
 * files. Read with a bound and without following links; a side-car that is none is left out with a warning,
 * because the file that it speaks of is good without it.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputJson } from '../../src/domain/manifest/manifest.ts';
import { OPEN_OUTPUT } from './output-glob.ts';
import { TaskFailure } from './task-failure.ts';

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;
const GEOMETRIES = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
]);

/** Text of a regular file of bounded size; undefined when there is none of that name. */
async function readDocument(path: string | Buffer): Promise<string | undefined> {
  const file = await open(path, OPEN_OUTPUT).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP' || error.code === 'ENXIO') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return undefined;
    if (facts.size > DOCUMENT_BYTES_MAX) throw new SyntaxError(`more than ${DOCUMENT_BYTES_MAX} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * The values of `seed.outputs.json` by output name. Throws TaskFailure `invalid-results-manifest` for a
 * malformed document or a value of the wrong type, `missing-required-output` for a required one that is
 * absent.
 */
export async function readJsonOutputs(
  folder: string,
  outputs: readonly OutputJson[],
): Promise<Record<string, unknown>> {
  const document = await readObject(join(folder, 'seed.outputs.json'));
  const values: [string, unknown][] = [];
  for (const { name, key, type, required } of outputs) {
    const value = Object.hasOwn(document, key) ? document[key] : undefined;
    if (value === undefined || value === null) {
      if (required) throw new TaskFailure('missing-required-output', `the JSON output ${name} is missing`);
    } else if (isOfType(value, type)) values.push([name, value]);
    else throw new TaskFailure('invalid-results-manifest', `the JSON output ${name} is no ${type}`);
  }
  return Object.fromEntries(values);
}

async function readObject(path: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse((await readDocument(path)) ?? '{}');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TaskFailure('invalid-results-manifest', `seed.outputs.json cannot be read: ${error.message}`);
  }
  if (isObject(value)) return value;
  throw new TaskFailure('invalid-results-manifest', 'seed.outputs.json is no JSON object');
}

function isOfType(value: unknown, type: OutputJson['type']): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface SideCar {
  /** JSON text of a GeoJSON Feature; '' when there is none. */
  readonly feature: string;
  /** Why what is there was left out. */
  readonly warning?: string;
}

/** Reads a side-car: a GeoJSON Feature, or a geometry, which becomes one. */
export async function readSideCar(path: string | Buffer): Promise<SideCar> {
  try {
    const text = await readDocument(path);
    if (text === undefined) return { feature: '' };
    const feature = toFeature(JSON.parse(text));
    return feature === undefined
      ? { feature: '', warning: 'it is neither a GeoJSON geometry nor a Feature' }
      : { feature: JSON.stringify(feature) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { feature: '', warning: error.message };
  }
}

function toFeature(value: unknown): object | undefined {
  if (!isObject(value)) return undefined;
  if (isGeometry(value)) return { type: 'Feature', geometry: value, properties: {} };
  if (value.type !== 'Feature') return undefined;
  const [geometry, properties] = [value.geometry ?? null, value.properties ?? {}];
  if ((geometry !== null && !isGeometry(geometry)) || !isObject(properties)) return undefined;
  return { ...value, geometry, properties };
}

function isGeometry(value: unknown): boolean {
  return isObject(value) && GEOMETRIES.has(String(value.type)) && Array.isArray(value.coordinates);
}
