/** Converts file names between bytes and text, and decides which names are ignored. */
import { isUtf8 } from 'node:buffer';
import { nameFromBytes, needsBytes } from '../domain/paths.ts';

/** The marker file; it contains the uuid of the directory's workspace. */
export const MARKER_NAME = '.millrace-workspace';

/** The text of a name (see domain/paths). Plain UTF-8, the common case, takes one step. */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    if (!needsBytes(text)) return text;
  }
  return nameFromBytes(bytes);
}

/** Hidden names never arrive and are never searched: our marker and temporary files, and any other hidden file. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** The name of an unfinished file of ours. `id` names its work, so that the work can find it again. */
export function temporaryName(id: string | number): string {
  return `.millrace-${id}.tmp`;
}
