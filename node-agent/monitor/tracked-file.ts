/** The state of a file that is not reported yet, or is missing. Times are monotonic unless stated otherwise. */
import type { FileFacts } from '../../src/storage/file-facts.ts';

/** The facts of a file that are needed after it was checked. */
export type KeptFacts = Pick<FileFacts, 'size' | 'mtimeMs' | 'ctimeUs' | 'birthUs' | 'inode' | 'identity'>;

export interface TrackedFile {
  readonly name: string;
  facts: KeptFacts;
  /** There was an event about it, so it is reported before files that only a listing has found. */
  hasEvent: boolean;
  /** Number of the listing in which it was last found. */
  foundIn: number;
  /** growing: may still change; ready: complete, to be reported; sent: in a batch in flight; known: acknowledged. */
  phase: 'growing' | 'ready' | 'sent' | 'known';
  sameSinceMs: number;
  firstSeenWallMs: number;
  /** Wall-clock time that the watermark has to pass while the file is unchanged (see arrival-proof.ts). */
  restUntilWallMs: number | undefined;
  missingSinceMs: number | undefined;
  /** The time at which it may change next without an event; other times in the queue are outdated. Infinity: none. */
  dueAtMs: number;
  /** The size last reported while transferring; -1 if none was. */
  sentSize: number;
  sentAtMs: number;
}

/** When a file is to be checked again. */
export interface Due {
  readonly atMs: number;
  readonly entry: TrackedFile;
}

/** The facts of a known file, of which only the identity was kept. */
export function factsOfKnown(identity: string): KeptFacts {
  return { size: 0, mtimeMs: 0, ctimeUs: 0, birthUs: 0, inode: '', identity };
}
