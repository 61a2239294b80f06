/** What all parts of one document in the short form use. */
import type { Interface } from '../../../domain/interface/interface.ts';
import type { FileFindings } from '../section.ts';

export interface ShortSet extends FileFindings {
  /** The name of the set, which records are named after and labelled with. */
  readonly set: string;
  /** Relative paths begin here. */
  readonly folder: string;
}

/** A job type that recipes may call: its identity, inputs and outputs. */
export interface KnownJob {
  readonly name: string;
  readonly version: string;
  /** Whether the files describe it; otherwise it is one of the server's. */
  readonly isInFiles: boolean;
  /** Undefined: it is not known here, or its description is wrong. */
  readonly inputs: Interface | undefined;
  readonly outputs: Interface | undefined;
}
