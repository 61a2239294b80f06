/**
 * Limits of any JSON document from outside, before its meaning is read. Problems of meaning are reported by the module
 * that reads the document.
 */
import type { IssueList } from '../validation.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** limit: levels. Deeper documents would overflow the stacks of code that walks them. */
export const JSON_DEPTH_MAX = 64;
/** limit: values in one document, containers included. */
export const JSON_VALUES_MAX = 500_000;

export const TOO_DEEP = `the document is nested deeper than ${JSON_DEPTH_MAX} levels`;
export const TOO_MANY_VALUES = `the document has more than ${JSON_VALUES_MAX} values`;

/** True for a map; arrays and null are not maps. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A document of a declared form as JSON. To the compiler it is none, because an interface has no index signature. */
export function jsonOf(document: object): JsonObject {
  return document as JsonObject;
}

/** JSON null counts as absent, everywhere a field is optional. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/**
 * Why a text cannot be stored, or undefined. PostgreSQL refuses NUL and lone surrogates in text and jsonb, long after
 * the caller has been answered.
 */
export function textProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains half of a surrogate pair';
  return undefined;
}

/** A text that can be stored, and so may be the name of a stored record; undefined for anything else. */
export function storableText(value: unknown): string | undefined {
  return typeof value === 'string' && textProblem(value) === undefined ? value : undefined;
}

/** A step below `path`: `a` + `b` is `a.b`; names that are not plain words are quoted: `a["b c"]`. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (/^[\w-]{1,100}$/.test(key)) return path === '' ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(shortened(key))}]`;
}

/** A part of the caller's input, short enough for a sentence. */
export function shortened(text: string): string {
  const piece = text.length <= 100 ? text : `${text.slice(0, 100)}…`;
  return piece.replace(/[\p{Surrogate}\0]/gu, '\ufffd');
}

/**
 * Walks a whole document and reports, as `problemName`, texts that cannot be stored, the key `__proto__`, values that
 * are not JSON, and documents that are too deep or too large.
 *
 * Returns false if the document is so deep or large that reading must stop.
 */
export function checkJson(document: unknown, issues: IssueList, problemName: string, path = ''): boolean {
  return new JsonCheck(issues, problemName, path).check(document);
}

/** As `checkJson`, for a parsed text: `hasLargeIntegers` says whether its integers may have been rounded. */
export function checkParsed(
  document: unknown,
  issues: IssueList,
  problemName: string,
): { readonly isWalkable: boolean; readonly hasLargeIntegers: boolean } {
  const check = new JsonCheck(issues, problemName, '');
  const isWalkable = check.check(document);
  return { isWalkable, hasLargeIntegers: check.hasLargeIntegers };
}

/**
 * One walk over a document. Its steps are collected as it goes, and made into a path only for a problem, so that a
 * document without problems costs little more than looking at its values.
 */
class JsonCheck {
  readonly #issues: IssueList;
  readonly #problemName: string;
  readonly #path: string;
  /** The steps from the document to the value that is being checked. */
  readonly #steps: (string | number)[] = [];
  #count = 1;
  /** Whether there was an integer beyond 2^53. */
  hasLargeIntegers = false;

  constructor(issues: IssueList, problemName: string, path: string) {
    this.#issues = issues;
    this.#problemName = problemName;
    this.#path = path;
  }

  /** False if reading must stop. The recursion is as deep as the document, which is limited. */
  check(value: unknown): boolean {
    if (typeof value === 'object' && value !== null) return this.#checkContainer(value);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) this.hasLargeIntegers = true;
    const problem = scalarProblem(value);
    if (problem !== undefined) this.#report(`the value ${problem}`);
    return true;
  }

  #checkContainer(value: object): boolean {
    if (this.#steps.length === JSON_DEPTH_MAX) {
      this.#report(TOO_DEEP);
      return false;
    }
    if (Array.isArray(value)) return this.#fits(value.length) && this.#checkItems(value);
    const keys = Object.keys(value);
    return this.#fits(keys.length) && this.#checkMembers(value as JsonObject, keys);
  }

  #fits(childCount: number): boolean {
    this.#count += childCount;
    if (this.#count <= JSON_VALUES_MAX) return true;
    this.#report(TOO_MANY_VALUES);
    return false;
  }

  #checkItems(items: readonly unknown[]): boolean {
    const level = this.#steps.length;
    let mayGoOn = true;
    for (let index = 0; mayGoOn && index < items.length; index += 1) {
      this.#steps[level] = index;
      mayGoOn = this.check(items[index]);
    }
    this.#steps.length = level;
    return mayGoOn;
  }

  #checkMembers(members: JsonObject, keys: readonly string[]): boolean {
    const level = this.#steps.length;
    let mayGoOn = true;
    for (let index = 0; mayGoOn && index < keys.length; index += 1) {
      const key = keys[index] as string;
      this.#steps[level] = key;
      this.#checkKey(key);
      mayGoOn = this.check(members[key]);
    }
    this.#steps.length = level;
    return mayGoOn;
  }

  #checkKey(key: string): void {
    const problem = textProblem(key);
    if (problem !== undefined) this.#report(`the name ${problem}`);
    // Copying such a key with `copy[key] = value` would replace the copy's prototype.
    if (key === '__proto__') this.#report(`'__proto__' is no usable name`);
  }

  #report(description: string): void {
    if (this.#issues.isFullOfErrors) {
      this.#issues.countErrors(1);
      return;
    }
    const path = this.#steps.reduce<string>(childPath, this.#path);
    this.#issues.error(this.#problemName, path, description);
  }
}

/** The problem of an integer that a double would round. */
export function notExact(digits: string): string {
  return `${shortened(digits)} cannot be kept exactly: give integers beyond 2^53 as texts`;
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return textProblem(value);
    case 'number':
      return Number.isFinite(value) ? undefined : 'is not a finite number';
    case 'boolean':
    case 'object':
    case 'undefined': // an absent member
      return undefined;
    case 'bigint':
      return notExact(String(value));
    default:
      return `is no JSON value, but a ${typeof value}`;
  }
}

/** Deep equality of JSON values; members may come in any order. Both depths are bounded by `checkJson`. */
export function jsonEquals(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => jsonEquals(item, other[index]));
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  const [left, right] = [one as JsonObject, other as JsonObject];
  return keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key], right[key]));
}
