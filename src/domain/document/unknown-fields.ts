/**
 * Documents whose unknown fields are ignored, because existing clients of the public system send more than they need.
 * Elsewhere an unknown field is refused (`Fields.refuseOthers`).
 */
const ignoring = new WeakSet<object>();

/** Ignores unknown fields of a document and of all its parts. */
export function ignoreUnknownFields(document: unknown): void {
  if (typeof document === 'object' && document !== null) ignoring.add(document);
}

export function ignoresUnknownFields(document: object): boolean {
  return ignoring.has(document);
}
