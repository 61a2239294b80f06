/** What senders and clients gave to a simulated world. */
import type { NewJobRequest } from '../../src/domain/job/job-request.ts';

/** A file that a sender left. */
export interface Drop {
  readonly workspaceId: number;
  readonly path: string;
  readonly identity: string;
  readonly sha256: string;
  /** Newer content came under its name: it may have been too late for this one. */
  isReplaced: boolean;
}

/** A request that somebody sent. Instants are numbers of a count: of two, the earlier has the lower. */
export interface SentRequest {
  readonly request: NewJobRequest;
  readonly sentAt: number;
  answeredAt: number | undefined;
}
