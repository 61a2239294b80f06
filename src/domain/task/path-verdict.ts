/** Whether a product may have a path that does not name its execution. A file of another job is never replaced. */

import type { PathRequest } from '../node/agent-messages.ts';
import type { PathReservation } from '../node/coordinator-messages.ts';
import { relativePathProblem } from '../paths.ts';

/** Who has reserved the path. */
export interface PathHolder {
  readonly jobId: number;
  readonly executionId: number;
  /** Names of its input files, `HOLDER_INPUTS` at most and one more. */
  readonly inputs: readonly string[];
  /** The proof of the file that the execution stores, or has stored. */
  readonly proof: string;
  readonly size: number;
  readonly sha256: string;
  /** The file is recorded as a product, superseded or not, and was not deleted. */
  readonly isRecorded: boolean;
  /** The job has not ended. */
  readonly isUnfinished: boolean;
}

export interface PathSituation {
  /** The job of the execution that asks. */
  readonly jobId: number;
  readonly isRunning: boolean;
  readonly holder: PathHolder | undefined;
  /** The current record of a file at the path that is not of this job. */
  readonly otherFileId: number | undefined;
}

/** Appended to the proof of a file while its upload is unfinished. */
export const PENDING_SUFFIX = '.pending';

/** The reason for a file that somebody else has put there, and that can be moved away. */
export const FOREIGN_FILE = 'there is a file that no job has stored';

type Wanted = Pick<PathRequest, 'executionId' | 'foundProof' | 'size' | 'sha256'>;

export function pathVerdict(wanted: Wanted, situation: PathSituation): PathReservation {
  const { holder, jobId, otherFileId } = situation;
  const { foundProof: found } = wanted;
  if (!situation.isRunning) {
    const isOwn = holder?.executionId === wanted.executionId && !holder.isRecorded && isFileOf(found, holder);
    return { verdict: 'over', reason: 'the execution is not running any more', isOwnFile: isOwn };
  }
  if (holder?.jobId === jobId && !holder.isRecorded) return ofOwnJob(wanted, holder);
  if (holder?.isRecorded) return taken(`it is the product of ${jobText(holder)}`);
  if (holder?.isUnfinished) return taken(`it is reserved by ${jobText(holder)}, which has not ended`);
  if (otherFileId !== undefined) return taken(`file ${otherFileId} is recorded there`);
  if (found === '') return RESERVED;
  if (holder !== undefined && isFileOf(found, holder))
    return taken(`${jobText(holder)}, which has ended, left a file there`);
  return taken(FOREIGN_FILE);
}

/** The path is reserved by the same job. The proof shows whether the file there is the job's own. */
function ofOwnJob(wanted: Wanted, holder: PathHolder): PathReservation {
  const { foundProof: found, executionId, size, sha256 } = wanted;
  if (found === '') return RESERVED;
  if (!isFileOf(found, holder)) return taken('there is a file that this job has not stored');
  const isSame = holder.executionId === executionId && holder.size === size && holder.sha256 === sha256;
  const isWhole = found === holder.proof;
  return { verdict: isSame && isWhole ? 'kept' : 'replace', reason: '', isOwnFile: false };
}

/** limit: input files of a job that a reason names. */
export const HOLDER_INPUTS = 2;

/** `job 7 from notes.txt`: people know their files, not the ids of jobs. */
function jobText({ jobId, inputs }: PathHolder): string {
  const named = inputs.slice(0, HOLDER_INPUTS).join(', ');
  const others = inputs.length > HOLDER_INPUTS ? ' and others' : '';
  return named === '' ? `job ${jobId}` : `job ${jobId} from ${named}${others}`;
}

const RESERVED: PathReservation = { verdict: 'reserved', reason: '', isOwnFile: false };

function taken(reason: string): PathReservation {
  return { verdict: 'taken', reason, isOwnFile: false };
}

function isFileOf(found: string, { proof }: PathHolder): boolean {
  return found === proof || found === `${proof}${PENDING_SUFFIX}`;
}

// limit: characters of a proof, and of a hash in hexadecimal.
const PROOF_CHARS_MAX = 200;
const SHA256 = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PROOF = /^[\w.:-]*$/;

/**
 * What is wrong with a request, as a sentence; undefined if it can be looked up. Correct agents send no such request.
 */
export function pathRequestProblem(request: Omit<PathRequest, 'joinToken'>): string | undefined {
  const { executionId, workspaceUuid, path, proof, foundProof, size, sha256 } = request;
  const problem = relativePathProblem(path);
  if (problem !== undefined) return `the path ${problem}`;
  if (!Number.isSafeInteger(executionId) || executionId < 1)
    return 'the execution id is not a positive integer';
  if (!UUID.test(workspaceUuid)) return 'the workspace uuid has the wrong form';
  if (proof === '' || [proof, foundProof].some((one) => one.length > PROOF_CHARS_MAX || !PROOF.test(one)))
    return 'a proof has the wrong form';
  if (!Number.isSafeInteger(size) || size < 0) return 'the size is not a whole number of bytes';
  return SHA256.test(sha256) ? undefined : 'the hash is not a SHA-256 in hexadecimal';
}
