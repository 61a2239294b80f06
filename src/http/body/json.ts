/**
 * Parses a request's bytes as JSON. Checks form only: problems of texts, numbers and depth are listed beside the value,
 * because a validation endpoint reports them in a 200 where others refuse.
 */
import { faultSentence, jsonFault } from '../../domain/document/json-fault.ts';
import { roundedInteger, scanJson, startsObject } from '../../domain/document/json-scan.ts';
import { checkParsed, type Json } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';

const PROBLEM = 'UNUSABLE_VALUE';

export interface ParsedJson {
  /** An empty value of the same kind when `isWalkable` is false. */
  readonly value: Json;
  /** False when the text nests too deep, or has too many values or parts. Then it has not been parsed. */
  readonly isWalkable: boolean;
  /**
   * Texts and keys that cannot be stored, invalid numbers, the first integer that a double would round, and nesting or
   * counts beyond their limits.
   */
  readonly problems: readonly Problem[];
}

/**
 * Parses a body, unless it is too deep or has too many values or parts. Throws AppError INVALID_JSON if it isn't JSON
 * in UTF-8.
 */
export function parseJson(bytes: Uint8Array, partsMax?: number): ParsedJson {
  const issues = new IssueList();
  const refused = scanJson(bytes, partsMax);
  if (refused !== undefined) {
    issues.error(PROBLEM, refused.path, refused.description);
    return { value: startsObject(bytes) ? {} : [], isWalkable: false, problems: issues.errors };
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('INVALID_JSON', 'the body is not valid UTF-8', {}, { cause });
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new AppError('INVALID_JSON', `the body is not valid JSON: ${reason(text)}`);
  }
  const { isWalkable, hasLargeIntegers } = checkParsed(value, issues, PROBLEM);
  const rounded = hasLargeIntegers ? roundedInteger(bytes) : undefined;
  if (rounded !== undefined) issues.error(PROBLEM, rounded.path, rounded.description);
  return { value, isWalkable, problems: issues.errors };
}

/** How the bytes of a body are parsed. */
export interface BodyReader {
  /** Called before the body has arrived. Throws AppError UNSUPPORTED_MEDIA_TYPE. */
  accept(headers: ReadonlyMap<string, string>): void;
  /** Throws AppError INVALID_JSON or INVALID_REQUEST. */
  read(bytes: Uint8Array, kind: BodyKind): ParsedJson | Promise<ParsedJson>;
}

/** The facts about a body that are known before it is read. */
export interface BodyKind {
  readonly headers: ReadonlyMap<string, string>;
  /** As `scanJson` counts them; undefined: no limit. */
  readonly partsMax: number | undefined;
}

/** Takes application/json in UTF-8 and nothing else. */
export const jsonReader: BodyReader = {
  accept: requireJson,
  read: (bytes, { partsMax }) => parseJson(bytes, partsMax),
};

function requireJson(headers: ReadonlyMap<string, string>): void {
  const [type, ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type?.trim() !== 'application/json' || !isUtf8) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json in UTF-8');
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `the body must not be encoded (${encoding.slice(0, 50)})`);
  }
}

/** Only the position is reported, because V8 quotes the text around the mistake, which may contain a secret. */
function reason(text: string): string {
  const fault = jsonFault(text);
  return fault === undefined ? 'unexpected text' : faultSentence(fault);
}
