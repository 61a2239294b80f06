/**
 * Paths of files inside a workspace: always relative, with `/` between segments, below the root. This module handles
 * texts only; brokers deal with symbolic links and existing files.
 *
 * A name on disk is any bytes but `/` and NUL. As text it is decoded from UTF-8; a byte that is not part of valid UTF-8
 * becomes one character U+F700 + byte. To make this reversible, a real character of that range (U+F780 to U+F7FF,
 * private use) is encoded byte by byte in the same way. Every name thus has exactly one text, which PostgreSQL can
 * store, and `nameToBytes(nameFromBytes(b))` is `b`.
 */
import { textProblem } from './document/json-value.ts';
import { datePath } from './times.ts';

export const PATH_CHARS_MAX = 1_000;
export const NAME_BYTES_MAX = 255;

const ESCAPE_BASE = 0xf700;

/** Why the text cannot be a relative path inside a workspace (completes "the path …"), or undefined. */
export function relativePathProblem(path: string): string | undefined {
  const unfit = textProblem(path);
  if (unfit !== undefined) return unfit;
  if (path === '') return 'is empty';
  if (path.length > PATH_CHARS_MAX) return `has more than ${PATH_CHARS_MAX} characters`;
  if (path.startsWith('/')) return 'is absolute';
  const segments = path.split('/');
  if (segments.includes('..')) return `has a '..' segment`;
  if (segments.every((segment) => segment === '' || segment === '.')) return 'names nothing';
  if (segments.some((segment) => nameToBytes(segment).length > NAME_BYTES_MAX)) {
    return `has a name of more than ${NAME_BYTES_MAX} bytes`;
  }
  return undefined;
}

/** `a//b/./c` -> `a/b/c`. `..` is left in place: refuse it first with `relativePathProblem`. */
export function normalisePath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return (path.startsWith('/') ? '/' : '') + segments.join('/');
}

/**
 * Joins relative parts to one normalised path below the root. Undefined if a part is absolute, has `..` or a NUL, or
 * the result is too long. Empty parts are left out. A leading `base` may be absolute.
 */
export function joinWithin(base: string, ...parts: readonly string[]): string | undefined {
  const below = parts.filter((part) => part !== '');
  if (below.some((part) => relativePathProblem(part) !== undefined)) return undefined;
  const joined = normalisePath(below.join('/'));
  if (joined !== '' && relativePathProblem(joined) !== undefined) return undefined;
  if (base === '') return joined;
  if (textProblem(base) !== undefined || base.split('/').includes('..')) return undefined;
  const whole = normalisePath(`${base}/${joined}`);
  if (!base.startsWith('/') && relativePathProblem(whole) !== undefined) return undefined;
  return whole;
}

/** The last segment. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Everything before the last segment, without the slash; '' at the root. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The place of a product below its workspace, and the values that the path consists of. */
export interface ProductPlace {
  readonly recipe?: { readonly typeName: string; readonly revision: number };
  readonly jobTypeName: string;
  readonly jobTypeVersion: string;
  /** The start of the source data; if undefined, `nowMs` dates the directories. */
  readonly sourceStartedMs: number | undefined;
  readonly nowMs: number;
  readonly jobExeId: number;
  /** Relative to the job's output directory. */
  readonly outputPath: string;
}

/** The path of a product; undefined if its path below the output directory is not a relative path. */
export function productPath(place: ProductPlace): string | undefined {
  const date = place.sourceStartedMs;
  const recipe = place.recipe;
  return joinWithin(
    '',
    recipe === undefined ? '' : `recipes/${safeSegment(recipe.typeName)}/revision_${recipe.revision}`,
    `jobs/${safeSegment(place.jobTypeName)}/${safeSegment(place.jobTypeVersion)}`,
    date === undefined ? `unknown_source_data_time/${datePath(place.nowMs)}` : datePath(date),
    `job_exe_${place.jobExeId}`,
    place.outputPath,
  );
}

const [RECIPE_PART, JOB_PART, DATE_PART] = [
  /^(?:recipes\/[^/]+\/revision_\d+\/)?/,
  /jobs\/[^/]+\/[^/]+\//,
  /(?:unknown_source_data_time\/)?\d+\/\d\d\/\d\d\//,
].map(({ source }) => source);
const PRODUCT_PATH = new RegExp(`${RECIPE_PART}${JOB_PART}${DATE_PART}job_exe_(\\d{1,15})/.`);

/** The id of the execution whose product would be stored at this path, if any. */
export function executionOfPath(path: string): number | undefined {
  const id = PRODUCT_PATH.exec(path)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** A name as one segment of a path: characters with a meaning to shells, URLs or file systems become `_`. */
export function safeSegment(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._+-]/g, '_').slice(0, NAME_BYTES_MAX);
  return /^\.*$/.test(safe) ? '_' : safe;
}

/** The text of a name that was read from a directory; see the head of this file. */
export function nameFromBytes(bytes: Uint8Array): string {
  let text = '';
  let index = 0;
  while (index < bytes.length) {
    const length = sequenceLength(bytes, index);
    const piece = length === 0 ? undefined : decoder.decode(bytes.subarray(index, index + length));
    if (piece === undefined || isEscape(piece.charCodeAt(0))) {
      const size = Math.max(length, 1);
      for (const byte of bytes.subarray(index, index + size)) text += String.fromCharCode(ESCAPE_BASE + byte);
    } else {
      text += piece;
    }
    index += Math.max(length, 1);
  }
  return text;
}

/** The bytes of a name on disk; the inverse of `nameFromBytes`. */
export function nameToBytes(name: string): Uint8Array {
  let hasEscapes = false;
  for (let index = 0; index < name.length && !hasEscapes; index += 1)
    hasEscapes = isEscape(name.charCodeAt(index));
  if (!hasEscapes) return encoder.encode(name);
  const bytes: number[] = [];
  for (const character of name) {
    const code = character.charCodeAt(0);
    if (isEscape(code)) bytes.push(code - ESCAPE_BASE);
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}

/** Whether the bytes on disk differ from the UTF-8 of the text: such a name must be opened by its bytes. */
export function needsBytes(name: string): boolean {
  return /[\uf780-\uf7ff]/.test(name);
}

function isEscape(code: number): boolean {
  return code >= ESCAPE_BASE + 0x80 && code <= ESCAPE_BASE + 0xff;
}

/** The length of the well-formed UTF-8 sequence at `index`; 0 if there is none (table 3-7 of the Unicode standard). */
function sequenceLength(bytes: Uint8Array, index: number): number {
  const first = bytes[index] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  for (let offset = 1; offset < length; offset += 1) {
    const byte = bytes[index + offset] ?? 0;
    if (byte < (offset === 1 ? low : 0x80) || byte > (offset === 1 ? high : 0xbf)) return 0;
  }
  return length;
}

// `ignoreBOM`: a name may begin with U+FEFF, and must keep it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
