/** The order for one ingest, and its results, as plain data. */
import { normalisePath } from '../../src/domain/paths.ts';

export interface IngestItem {
  readonly ingestId: number;
  readonly executionId: number;
  readonly source: FilePlace;
  readonly expectedSize: number;
  readonly expectedMtimeMs: number;
  /** As the monitor or the listing saw it (`StoredEntry.identity`); empty if unknown. */
  readonly expectedIdentity: string;
  /** null: the file stays where it is. */
  readonly target: FilePlace | null;
}

/** A file in a workspace, named by the workspace's uuid. */
export interface FilePlace {
  readonly workspace: string;
  readonly path: string;
}

interface Outcome {
  readonly ingestId: number;
  readonly executionId: number;
}

/** The content is stored at `place`. */
export interface StoredOutcome extends Outcome {
  readonly outcome: 'stored';
  readonly place: FilePlace;
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
  /** Identity of the source that may be removed once this is recorded; empty if nothing is to be removed. */
  readonly spentIdentity: string;
}

/** The target already has the same content; the source was left in place. */
export interface DuplicateOutcome extends Outcome {
  readonly outcome: 'duplicate';
  readonly place: FilePlace;
  readonly size: number;
  readonly sha256: string;
}

/** The file has changed since it was seen, and will be reported as another arrival. Nothing was moved. */
export interface ChangedOutcome extends Outcome {
  readonly outcome: 'changed';
}

/** The file is neither where it was seen nor at its target. */
export interface GoneOutcome extends Outcome {
  readonly outcome: 'gone';
}

export interface FailedOutcome extends Outcome {
  readonly outcome: 'failed';
  /** Name of a registered error. */
  readonly errorName: 'filesystem-io' | 'unknown';
  readonly message: string;
}

export interface CanceledOutcome extends Outcome {
  readonly outcome: 'canceled';
}

export type IngestResult =
  | StoredOutcome
  | DuplicateOutcome
  | ChangedOutcome
  | GoneOutcome
  | FailedOutcome
  | CanceledOutcome;

/** The ids in every result of an ingest. */
export function idsOf(item: IngestItem): { readonly ingestId: number; readonly executionId: number } {
  return { ingestId: item.ingestId, executionId: item.executionId };
}

/** Only hashed: nothing on the disk changes. */
export function staysInPlace({ source, target }: IngestItem): boolean {
  return target === null || isSamePlace(target, source);
}

function isSamePlace(one: FilePlace, other: FilePlace): boolean {
  return one.workspace === other.workspace && normalisePath(one.path) === normalisePath(other.path);
}
