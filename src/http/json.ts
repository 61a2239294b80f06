/**
 * Bytes of a request to a JSON value. Form only: what is wrong with the value's texts, numbers and depth is
 * listed beside it, because a validation endpoint reports that in a 200 where others refuse.
 */
import { checkJson, type Json } from '../domain/document/json-value.ts';
import { AppError } from '../domain/errors.ts';
import { IssueList, type Problem } from '../domain/validation.ts';

export interface ParsedJson {
  /** Safe to walk recursively only while `isWalkable`. */
  readonly value: Json;
  readonly isWalkable: boolean;
  /** Texts and keys that cannot be stored, numbers that are no numbers, nesting beyond the limit. */
  readonly problems: readonly Problem[];
}

/** Parses a body. Throws AppError INVALID_JSON if it isn't JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('INVALID_JSON', 'the body is not valid UTF-8', {}, { cause });
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new AppError('INVALID_JSON', `the body is not valid JSON: ${reason(cause)}`);
  }
  const issues = new IssueList();
  const isWalkable = checkJson(value, issues, 'UNUSABLE_VALUE');
  return { value, isWalkable, problems: issues.errors };
}

/** V8 quotes the text around the mistake, which may hold a secret: keep only what it says of the place. */
function reason(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `unexpected text at position ${position}`;
  return message.includes('end of JSON') ? 'it ends too early' : 'unexpected text';
}
