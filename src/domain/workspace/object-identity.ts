/**
 * The identity of the content at a key of an object store, from what events, lists and single reads all report: its
 * ETag and size. Times are left out, because an event reports another time than a list. It has the form of a file
 * identity.
 */

/** `etag` with or without its quotes. */
export function objectIdentity(etag: string, size: number): string {
  const plain = etag.replace(/^W\//, '').replaceAll('"', '').replaceAll('.', '_');
  return `${plain}.0.0.${size.toString(36)}`;
}
