/** Strikes: rows and what their actor remembers. */

export interface StrikePatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly workspaceId?: number;
  readonly isPaused?: boolean;
  /** Ingests after this id are still to be tried against changed rules; null = done. */
  readonly deferredCursor?: number | null;
}
