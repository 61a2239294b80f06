/**
 * Reads one object of a document field by field and collects every problem with its path. It checks types and limits
 * (text, number, list…), not meanings, and never throws, whatever its input.
 */
import { didYouMean, nearestOf } from '../near-names.ts';
import type { IssueList } from '../validation.ts';
import {
  childPath,
  isAbsent,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEquals,
  shortened,
} from './json-value.ts';
import { ignoresUnknownFields, ignoreUnknownFields } from './unknown-fields.ts';

/** One member of a list or map, with the path at which its problems are reported. */
export interface Item {
  readonly value: unknown;
  readonly path: string;
}
export interface NamedItem extends Item {
  readonly name: string;
}

interface Needs {
  readonly required?: boolean;
  /** Name of the problem when the field is absent, if the contract has a special one. */
  readonly missing?: string;
  /** Name of the problem when the field is present but wrong, if the contract has a special one. */
  readonly problem?: string;
}
/** Lengths are in UTF-16 code units. */
export interface TextNeeds extends Needs {
  /** Default 1: an empty text is refused. */
  readonly min?: number;
  readonly max?: number;
  /** `says` completes "must be …". */
  readonly form?: { readonly pattern: RegExp; readonly says: string };
}
export interface NumberNeeds extends Needs {
  readonly min?: number;
  readonly max?: number;
}

const EMPTY: JsonObject = {};
const TEXT_MAX = 10_000;
const ITEMS_MAX = 10_000;
/** The largest integer of a four-byte column; ids and counters of documents stay below it. */
export const INT4_MAX = 2_147_483_647;

/** An object being read. `refuseOthers` reports fields that were not read. */
export class Fields {
  readonly path: string;
  readonly #issues: IssueList;
  readonly #object: JsonObject;
  readonly #problemName: string;
  readonly #known = new Set<string>();
  /** Unknown fields are ignored in this object and in everything inside it. */
  readonly #isLenient: boolean;

  private constructor(issues: IssueList, problemName: string, object: JsonObject, path: string) {
    this.#issues = issues;
    this.#problemName = problemName;
    this.#object = object;
    this.#isLenient = ignoresUnknownFields(object);
    this.path = path;
  }

  /**
   * Starts to read `value`, or reports that it is not an object. A part of a document is then read as if it were empty,
   * so that its required fields are reported at once, too. For a whole document the result is undefined.
   */
  static open(issues: IssueList, problemName: string, value: unknown, path: string): Fields | undefined {
    if (isJsonObject(value)) return new Fields(issues, problemName, value, path);
    issues.error(problemName, path, `${quoted(path)} must be a JSON object`);
    return path === '' || issues.isFullOfErrors ? undefined : new Fields(issues, problemName, EMPTY, path);
  }

  /** Whether the field is present and not null. */
  has(key: string): boolean {
    return !isAbsent(this.raw(key));
  }

  /** The unchecked value of the field, which counts as known from now on. Inherited members are not fields. */
  raw(key: string): unknown {
    this.#known.add(key);
    const value = Object.hasOwn(this.#object, key) ? this.#object[key] : undefined;
    if (this.#isLenient) ignoreUnknownFields(value);
    return value;
  }

  /** Reports a problem of the field `key` under the document's own problem name, or another. */
  error(key: string, description: string, problemName = this.#problemName): void {
    this.#issues.error(problemName, childPath(this.path, key), description);
  }

  text(key: string, needs: TextNeeds = {}): string | undefined {
    const value = this.#present(key, needs);
    if (value === undefined) return undefined;
    const path = childPath(this.path, key);
    const problem = textNeedsProblem(value, needs);
    if (problem === undefined) return value as string;
    this.#issues.error(needs.problem ?? this.#problemName, path, `${quoted(path)} ${problem}`);
    return undefined;
  }

  oneOf<T extends string>(key: string, choices: readonly T[], needs: Needs = {}): T | undefined {
    const value = this.raw(key);
    if ((choices as readonly unknown[]).includes(value)) return value as T;
    if (isAbsent(value) && needs.required !== true) return undefined;
    if (this.#issues.isFullOfErrors) {
      this.#issues.countErrors(1);
      return undefined;
    }
    const all = choices.map((choice) => `'${choice}'`).join(', ');
    if (isAbsent(value)) this.#missing(key, needs, `is required: one of ${all}`);
    else this.#wrong(key, needs, `must be one of ${all}${didYouMean(value, choices)}`);
    return undefined;
  }

  number(key: string, needs: NumberNeeds = {}): number | undefined {
    const value = this.#present(key, needs);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      this.#wrong(key, needs, 'must be a number');
      return undefined;
    }
    return this.#inRange(key, value, needs);
  }

  integer(key: string, needs: NumberNeeds = {}): number | undefined {
    const value = this.#present(key, needs);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      this.#wrong(key, needs, 'must be an integer');
      return undefined;
    }
    return this.#inRange(key, value, { max: INT4_MAX, ...needs });
  }

  /** A revision number: a positive integer, also as text. */
  revision(key: string): number | undefined {
    const value = this.#present(key, {});
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= INT4_MAX)
      return number;
    this.#wrong(key, {}, 'must be a revision number (an integer from 1)');
    return undefined;
  }

  /** A boolean; `otherwise` if it is absent or wrong. */
  flag<D extends boolean | undefined>(key: string, otherwise: D): boolean | D {
    const value = this.#present(key, {});
    if (value === undefined) return otherwise;
    if (typeof value === 'boolean') return value;
    this.#wrong(key, {}, 'must be true or false');
    return otherwise;
  }

  /** The items of an array; none if it is absent or not an array. `max` limits how many are read. */
  list(key: string, needs: NumberNeeds = {}): readonly Item[] {
    const value = this.#present(key, needs);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#wrong(key, needs, 'must be an array');
      return [];
    }
    const [min, max] = [needs.min ?? 0, needs.max ?? ITEMS_MAX];
    if (value.length < min) this.#wrong(key, needs, `must have at least ${min} item${min === 1 ? '' : 's'}`);
    if (value.length > max) this.#wrong(key, needs, `must have at most ${max} items`);
    const path = childPath(this.path, key);
    return value.slice(0, max).map((item: unknown, index) => {
      if (this.#isLenient) ignoreUnknownFields(item);
      return { value: item, path: childPath(path, index) };
    });
  }

  /** An array of texts; wrong ones are reported and left out. */
  texts(key: string, needs: TextNeeds & { readonly itemsMax?: number } = {}): readonly string[] {
    const { min: _min, max: _max, form: _form, itemsMax, ...rest } = needs;
    const items = this.list(key, itemsMax === undefined ? rest : { ...rest, max: itemsMax });
    return items.flatMap(({ value, path }) => {
      const problem = textNeedsProblem(value, needs);
      if (problem === undefined) return [value as string];
      this.#issues.error(needs.problem ?? this.#problemName, path, `${quoted(path)} ${problem}`);
      return [];
    });
  }

  /** A nested object; undefined if it is absent and optional. A missing required object is read as if it were empty. */
  object(key: string, needs: Needs = {}): Fields | undefined {
    const value = this.#present(key, needs);
    const isMissing = value === undefined && needs.required === true && !this.#issues.isFullOfErrors;
    if (value === undefined && !isMissing) return undefined;
    const path = childPath(this.path, key);
    return Fields.open(this.#issues, needs.problem ?? this.#problemName, isMissing ? EMPTY : value, path);
  }

  /** The members of a map with names as keys, in document order. */
  map(key: string, needs: Needs = {}): readonly NamedItem[] {
    const value = this.#present(key, needs);
    if (value === undefined) return [];
    const path = childPath(this.path, key);
    if (!isJsonObject(value)) {
      this.#wrong(key, needs, 'must be a JSON object');
      return [];
    }
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
    if (entries.length > ITEMS_MAX) this.#wrong(key, needs, `must have at most ${ITEMS_MAX} members`);
    return entries.slice(0, ITEMS_MAX).map(([name, item]) => {
      if (this.#isLenient) ignoreUnknownFields(item);
      return { name, value: item, path: childPath(path, name) };
    });
  }

  /**
   * Accepts a `version`. Documents may state which of the two compatible versions they were written for; it has no
   * effect.
   */
  acceptVersion(problemName = this.#problemName): void {
    const value = this.raw('version');
    if (isAbsent(value) || value === '6' || value === '7') return;
    this.error('version', `'version' must be "6" or "7" when it is given`, problemName);
  }

  /**
   * Accepts a field that answers add as a copy of another field (`original`, whose value is `same`). A client may send
   * the copy back, with the same value.
   */
  acceptEcho(key: string, same: unknown, original: string): void {
    const value = this.raw(key);
    if (isAbsent(value) || (!isAbsent(same) && jsonEquals(value as Json, same as Json))) return;
    this.error(key, `${quoted(childPath(this.path, key))} must be absent or the same as ${original}`);
  }

  /** Reports every field that was never read, with the nearest known one. Call it last. */
  refuseOthers(problemName = this.#problemName): void {
    const issues = this.#issues;
    for (const key of Object.keys(this.#object)) {
      // `checkJson` has already reported this one.
      if (this.#known.has(key) || key === '__proto__' || this.#object[key] === undefined) continue;
      if (this.#isLenient) this.#warnOfUnknown(key);
      else if (issues.isFullOfErrors) issues.countErrors(1);
      else {
        const says = `is not a known field${nearestOf(key, this.#known)}`;
        this.error(key, `${quoted(childPath(this.path, key))} ${says}`, problemName);
      }
    }
  }

  #warnOfUnknown(key: string): void {
    const path = this.#issues.isFullOfWarnings ? '' : childPath(this.path, key);
    this.#issues.warning('UNKNOWN_FIELD', path, 'is not known and is ignored');
  }

  #present(key: string, needs: Needs): unknown {
    const value = this.raw(key);
    if (!isAbsent(value)) return value;
    if (needs.required === true) this.#missing(key, needs, 'is required');
    return undefined;
  }

  #missing(key: string, needs: Needs, says: string): void {
    this.error(key, `${quoted(childPath(this.path, key))} ${says}`, needs.missing ?? this.#problemName);
  }

  #inRange(key: string, value: number, needs: NumberNeeds): number | undefined {
    if (needs.min !== undefined && value < needs.min)
      this.#wrong(key, needs, `must be at least ${needs.min}`);
    else if (needs.max !== undefined && value > needs.max)
      this.#wrong(key, needs, `must be at most ${needs.max}`);
    else return value;
    return undefined;
  }

  #wrong(key: string, needs: Needs, says: string): void {
    this.error(key, `${quoted(childPath(this.path, key))} ${says}`, needs.problem ?? this.#problemName);
  }
}

/** The problem of a text that must meet `needs`, as the rest of a sentence; undefined if there is none. */
function textNeedsProblem(value: unknown, needs: TextNeeds): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  const [min, max] = [needs.min ?? 1, needs.max ?? TEXT_MAX];
  if (value.length < min) return 'must not be empty';
  if (value.length > max) return `must have at most ${max} characters`;
  if (needs.form !== undefined && !needs.form.pattern.test(value)) {
    return `must be ${needs.form.says}, not '${shortened(value)}'`;
  }
  return undefined;
}

function quoted(path: string): string {
  return path === '' ? 'the document' : `'${path}'`;
}
