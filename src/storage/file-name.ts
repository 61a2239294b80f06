/**
 * Names as the file system gives them and as this house writes them, and which of them are nobody's files.
 */
import { isUtf8 } from 'node:buffer';
import { nameFromBytes, needsBytes } from '../domain/paths.ts';

/** Holds the uuid of the workspace that a directory is. */
export const MARKER_NAME = '.millrace-workspace';

/** The text of a name (see domain/paths): the common case, plain UTF-8, in one step. */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    if (!needsBytes(text)) return text;
  }
  return nameFromBytes(bytes);
}

/** Hidden names are never arrivals, nor searched: our marker and temporary files, and whatever else hides. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/**
 * A file of ours that is not finished. `id` names the work it belongs to, so that the work can find it again.
 */
export function temporaryName(id: string | number): string {
  return `.millrace-${id}.tmp`;
}
