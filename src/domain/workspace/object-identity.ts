/**
 * The identity of a content at a key of an object store, from what events, lists and single answers all say: its ETag
 * and its size. Times are left out: an event tells another one than a list does. In the form of identities of files.
 */

/** `etag` with or without its quotes. */
export function objectIdentity(etag: string, size: number): string {
  const plain = etag.replace(/^W\//, '').replaceAll('"', '').replaceAll('.', '_');
  return `${plain}.0.0.${size.toString(36)}`;
}
