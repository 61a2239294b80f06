/**
 * Names of records, chosen by the request that creates them or derived from their titles, and never changed. A unique
 * constraint of the database detects names that are taken; nothing is looked up here.
 */
import type { Problem } from './validation.ts';

/** Characters of a name taken from the title; with a suffix it has at most 50. */
const STEM_MAX = 30;
const SUFFIX_DIGITS = 19;

/** Names of job types that would hide a route. */
export const RESERVED_JOB_TYPE_NAMES: ReadonlySet<string> = new Set([
  'validation',
  'status',
  'pending',
  'running',
  'system-failures',
  'try',
]);

/** limit: characters of a name. */
export const NAME_CHARS_MAX = 50;
/** The form of a name that a request chooses. With a letter, so that no name reads like an id. */
export const NAME_PATTERN = '^(?!validation$)(?=[^a-z]*[a-z])[a-z0-9-]+$';
export const NAME_FORM = "must be lower-case letters, digits and dashes, with a letter, and not 'validation'";

const NAME = new RegExp(NAME_PATTERN, 'u');

/** What is wrong with the name that a validation gives for a new record, at the path `name`. */
export function nameProblems(name: string): readonly Problem[] {
  const description =
    name.length > NAME_CHARS_MAX
      ? `must have at most ${NAME_CHARS_MAX} characters`
      : NAME.test(name)
        ? undefined
        : NAME_FORM;
  return description === undefined ? [] : [{ name: INVALID_NAME, description, path: 'name' }];
}

export const INVALID_NAME = 'INVALID_NAME';

/**
 * `My Scan Process` -> `my-scan-process`. The name has the form of a chosen one: a title without a letter (`2026`), or
 * the title `Validation`, comes after the stem (`scan-2026`); one without letters and digits gives the stem.
 */
export function nameFromTitle(title: string, stem: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/[^\p{ASCII}]/gu, '')
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '-')
    .replaceAll('_', '-')
    .slice(0, STEM_MAX);
  if (NAME.test(slug)) return slug;
  return /[a-z0-9]/.test(slug) ? `${stem}-${slug}`.slice(0, STEM_MAX) : stem;
}

/**
 * The name to try when `name` is taken: with a dash and 19 hexadecimal digits. `randomBytes` (ten or more) is passed
 * in.
 */
export function nameWithSuffix(name: string, randomBytes: Uint8Array): string {
  const hex = Array.from(randomBytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${name.slice(0, STEM_MAX)}-${hex.slice(0, SUFFIX_DIGITS)}`;
}
