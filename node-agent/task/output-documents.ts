/**
 * The JSON documents that a task may leave in its output directory: `seed.outputs.json` and side-cars about
 * files. Read with a bound and without following links; a side-car that is none is left out with a warning,
 * because the file that it speaks of is good without it.
 */
import { lstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { checkJson } from '../../src/domain/document/json-value.ts';
import type { OutputJson } from '../../src/domain/manifest/manifest.ts';
import { IssueList } from '../../src/domain/validation.ts';
import type { ReadSideCar, SideCarReader } from '../side-car/side-cars.ts';
import { OPEN_OUTPUT } from './output-glob.ts';
import { TaskFailure } from './task-failure.ts';

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;
/** Nothing there, a link, a socket; or the name of a file that leaves no room for what a side-car's adds. */
const ABSENT: readonly string[] = ['ENOENT', 'ELOOP', 'ENXIO', 'ENAMETOOLONG'];

/** Most tasks leave none: this look costs a tenth of an `open` that is refused. */
function isMissing(path: string | Buffer): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false; // `open` says what is wrong with it
  }
}

/** Text of a regular file of bounded size; undefined when there is none of that name. */
async function readDocument(path: string | Buffer): Promise<string | undefined> {
  if (isMissing(path)) return undefined;
  const file = await open(path, OPEN_OUTPUT).catch((error: NodeJS.ErrnoException) => {
    if (ABSENT.includes(`${error.code}`)) return undefined;
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
 * malformed document, a value of the wrong type or one that cannot be stored (NUL characters, halves of surrogate
 * pairs, too deep), `missing-required-output` for a required one that is absent.
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
    } else if (!isOfType(value, type)) {
      throw new TaskFailure('invalid-results-manifest', `the JSON output ${name} is no ${type}`);
    } else {
      refuseUnfit(name, value);
      values.push([name, value]);
    }
  }
  return Object.fromEntries(values);
}

/** What JSON allows and storage does not: it would be refused long after the task has ended. */
function refuseUnfit(name: string, value: unknown): void {
  const issues = new IssueList(1);
  checkJson(value, issues, 'INVALID', name);
  const [issue] = issues.errors;
  if (issue === undefined) return;
  const detail = `the JSON output ${name} cannot be stored: at ${issue.path} ${issue.description}`;
  throw new TaskFailure('invalid-results-manifest', detail);
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

/** Reads a side-car: GeoJSON about a file. There need not be one. */
export async function readSideCar(path: string | Buffer, sideCars: SideCarReader): Promise<ReadSideCar> {
  try {
    const text = await readDocument(path);
    return text === undefined ? { feature: '' } : await sideCars.read(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { feature: '', warning: `has ${error.message}` };
  }
}
