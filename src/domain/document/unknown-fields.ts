/**
 * Documents whose unknown fields are ignored, because clients that are not ours to mend send more than they need.
 * Everywhere else a field that nobody knows is refused (`Fields.refuseOthers`).
 */
const ignoring = new WeakSet<object>();

/** Has unknown fields of a document ignored, and of all that is read as a part of it. */
export function ignoreUnknownFields(document: unknown): void {
  if (typeof document === 'object' && document !== null) ignoring.add(document);
}

export function ignoresUnknownFields(document: object): boolean {
  return ignoring.has(document);
}
