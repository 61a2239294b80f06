/**
 * Checks the values of `seed.outputs.json` against the outputs in the manifest. It runs in the thread that reads
 * documents of tasks.
 */
import { checkJson } from '../../src/domain/document/json-value.ts';
import type { OutputJson } from '../../src/domain/manifest/manifest.ts';
import { IssueList } from '../../src/domain/validation.ts';

/** The values as the text of an object by output name, or why the task has failed. */
export type ReadJsonOutputs =
  | { readonly values: string }
  | { readonly error: 'invalid-results-manifest' | 'missing-required-output'; readonly detail: string };

/** All integers of up to 15 digits are exact. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** `text` is that of the document; undefined if the task has written none. */
export function readJsonOutputsText(
  text: string | undefined,
  outputs: readonly OutputJson[],
): ReadJsonOutputs {
  let document: unknown;
  try {
    document = parseExactly(text ?? '{}');
  } catch (error) {
    return invalid(`seed.outputs.json cannot be read: ${(error as Error).message.slice(0, 200)}`);
  }
  if (!isObject(document)) return invalid('seed.outputs.json is not a JSON object');
  const values: [string, unknown][] = [];
  for (const { name, key, type, required } of outputs) {
    const value = Object.hasOwn(document, key) ? document[key] : undefined;
    if (value === undefined || value === null) {
      if (!required) continue;
      return { error: 'missing-required-output', detail: `the JSON output ${name} is missing` };
    }
    if (!isOfType(value, type)) return invalid(`the JSON output ${name} is not of type ${type}`);
    const problem = storageProblem(name, value);
    if (problem !== undefined) return invalid(problem);
    values.push([name, value]);
  }
  return { values: JSON.stringify(Object.fromEntries(values)) };
}

/**
 * Why the database cannot store a value that JSON allows. Checked here, because otherwise it would be refused long
 * after the task's end.
 */
function storageProblem(name: string, value: unknown): string | undefined {
  const issues = new IssueList(1);
  checkJson(value, issues, 'INVALID', name);
  const [issue] = issues.errors;
  return issue && `the JSON output ${name} cannot be stored: at ${issue.path} ${issue.description}`;
}

/** As JSON.parse, but an integer that would be rounded becomes a bigint. */
function parseExactly(text: string): unknown {
  // A reviver makes parsing ten times slower, and most documents have no long number.
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const keepExact = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown => {
    if (!Number.isFinite(value) || source === undefined || !INTEGER.test(source)) return value;
    const isKept = String(value) === source || BigInt(source) === BigInt(value as number);
    return isKept ? value : BigInt(source);
  };
  return JSON.parse(text, keepExact as (key: string, value: unknown) => unknown);
}

function isOfType(value: unknown, type: OutputJson['type']): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  // `storageProblem` then says what is wrong with it.
  if (typeof value === 'bigint') return type === 'integer' || type === 'number';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(detail: string): ReadJsonOutputs {
  return { error: 'invalid-results-manifest', detail };
}
