/**
 * Messages from a node-agent to its coordinator, as plain data. The wire format is in proto/node/v1/agent.proto, the
 * conversion in src/wire/codecs/agent.ts. Times are ms since 1970 on the agent's clock; ids are positive integers.
 */

import type { Footprint } from '../geometry/footprint.ts';
import type { LogCut, Used } from '../task/task-result.ts';

/** Amounts by resource name: cpus in cores; mem, disk and sharedmem in MiB; gpus in units. */
export type Amounts = Readonly<Record<string, number>>;

export type TaskPhase = 'pull' | 'pre' | 'main' | 'post' | 'ended';
export type TaskOutcome = 'COMPLETED' | 'FAILED' | 'CANCELED';
export type Arrival = 'transferring' | 'complete' | 'gone';
export type IngestOutcome = 'stored' | 'duplicate' | 'changed' | 'gone' | 'failed' | 'canceled';

/** The version of the contract that this program implements. */
export const AGENT_PROTOCOL = 1;

export interface HeldExecution {
  readonly executionId: number;
  readonly phase: TaskPhase;
  /** The agent has restarted and lost the secrets of this execution, so its Launch has to be sent again. */
  readonly needsLaunch: boolean;
}

/** First message of a session: everything that the agent holds. */
export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  readonly nodeName: string;
  readonly agentId: string;
  readonly version: string;
  readonly joinToken: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resources: Amounts;
  readonly executors: readonly string[];
  readonly executions: readonly HeldExecution[];
  readonly monitorExecutionIds: readonly number[];
  readonly ingestExecutionIds: readonly number[];
  readonly listingExecutionIds: readonly number[];
  /** Whether several launches may come in one message. */
  readonly takesLaunches: boolean;
  /** The kernel's id of the host's boot; '' where it gives none, and from agents of earlier versions. */
  readonly bootId: string;
  /** Whether launches wait for room in the agent's offer, and are given back if they wait too long. */
  readonly takesWorkAhead: boolean;
}

/** An error or warning about the node, shown in the status document. */
export interface NodeCondition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** The agent's total resources for jobs from now on; replaces the previous offer. An error makes the node DEGRADED. */
export interface Offer {
  readonly type: 'offer';
  readonly sequence: number;
  readonly resources: Amounts;
  readonly errors: readonly NodeCondition[];
  readonly warnings: readonly NodeCondition[];
  /** Absent from agents of earlier versions. */
  readonly host?: HostReport | undefined;
}

/** Facts about the host that are not part of its offer; only shown to users. */
export interface HostReport {
  /** Total amounts, including what other programs use and what is kept for the host. */
  readonly resources: Amounts;
  readonly tasks: readonly HostTask[];
  /**
   * Absolute path of the folder that holds the executions' folders. Empty, or absent in rows, for agents of earlier
   * versions.
   */
  readonly taskFolder?: string;
}

/** Work of the agent for the node rather than for one job: `image-pull`, `cleanup`. */
export interface HostTask {
  readonly type: string;
  readonly count: number;
}

export interface Heartbeat {
  readonly type: 'heartbeat';
  readonly sequence: number;
  /** The agent's clock when it sent this. Absent from agents of earlier versions. */
  readonly nowMs?: number | undefined;
}

export interface PhaseTime {
  readonly phase: TaskPhase;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly exitCode?: number | undefined;
  readonly timedOut: boolean;
}

/** Why a task failed: a name of the error catalogue; `isBuiltin` is false if the job type's manifest declares it. */
export interface TaskError {
  readonly name: string;
  readonly isBuiltin: boolean;
  readonly detail: string;
}

/**
 * A product in its workspace, synced. `metadata` is the JSON text of its side-car, a GeoJSON Feature whose geometry is
 * in the footprint; '' if there is none.
 */
export interface StoredOutput {
  readonly output: string;
  readonly workspaceUuid: string;
  readonly path: string;
  readonly fileName: string;
  readonly size: number;
  readonly mediaType: string;
  readonly sha256: string;
  readonly metadata: string;
  readonly footprint?: Footprint | undefined;
  /** For a path that does not name its execution: the proof of the stored file, see `Broker.proofAt`. */
  readonly proof?: string | undefined;
}

/** The side-car of a job about one of its source inputs, in the form of a product's. */
export interface ParsedInput {
  readonly input: string;
  readonly fileId: number;
  readonly metadata: string;
  readonly footprint?: Footprint | undefined;
}

/** The end of one execution; repeated until acknowledged. */
export interface TaskUpdate {
  readonly type: 'taskUpdate';
  readonly spoolId: number;
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  /** Copied from the launch. */
  readonly owner: string;
  readonly outcome: TaskOutcome;
  readonly error?: TaskError | undefined;
  readonly phases: readonly PhaseTime[];
  readonly outputs: readonly StoredOutput[];
  /** JSON object text: output name -> value. */
  readonly jsonOutputs: string;
  readonly parsedInputs: readonly ParsedInput[];
  /** Absent if nothing was measured. */
  readonly used?: Used | undefined;
  /** `sha256:<hex>` of the image that the main task ran; absent: none, or unknown. */
  readonly imageDigest?: string | undefined;
  readonly logCut?: LogCut | undefined;
  /** Given back: nothing of the execution was started. Its outcome is CANCELED. */
  readonly neverBegan?: boolean | undefined;
}

export interface SeenFile {
  readonly path: string;
  readonly arrival: Arrival;
  readonly size: number;
  readonly mtimeMs: number;
  readonly identity: string;
  readonly firstSeenMs: number;
}

/** A batch of files from a monitor; repeated until acknowledged. */
export interface FilesSeen {
  readonly type: 'filesSeen';
  readonly executionId: number;
  readonly owner: string;
  readonly batch: number;
  readonly files: readonly SeenFile[];
}

/** A file of a listing. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly identity: string;
}

/** The files after `after` up to `through`, in the order of paths; repeated until acknowledged. */
export interface ListingPage {
  readonly type: 'listingPage';
  readonly executionId: number;
  readonly owner: string;
  readonly sequence: number;
  readonly after: string;
  /** The path after which a restarted listing continues. */
  readonly through: string;
  readonly files: readonly ListedFile[];
  /** Nothing follows: everything is listed, or the listing cannot continue. */
  readonly isLast: boolean;
  readonly error?: TaskError | undefined;
}

/** The end of one ingest execution; repeated until acknowledged. */
export interface IngestUpdate {
  readonly type: 'ingestUpdate';
  readonly spoolId: number;
  readonly ingestId: number;
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly owner: string;
  readonly outcome: IngestOutcome;
  /** The place of the content now. */
  readonly workspaceUuid: string;
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly error?: TaskError | undefined;
}

/** Several updates that became due together; for coordinators that accept them (`Welcome.takesIngestUpdates`). */
export interface IngestUpdates {
  readonly type: 'ingestUpdates';
  readonly updates: readonly Omit<IngestUpdate, 'type'>[];
}

/** As `IngestUpdates`, for tasks (`Welcome.takesTaskUpdates`). */
export interface TaskUpdates {
  readonly type: 'taskUpdates';
  readonly updates: readonly Omit<TaskUpdate, 'type'>[];
}

export interface IngestBytes {
  readonly ingestId: number;
  readonly owner: string;
  readonly bytesTransferred: number;
}

export interface IngestProgress {
  readonly type: 'ingestProgress';
  readonly ingests: readonly IngestBytes[];
}

export interface WorkspaceReach {
  readonly workspaceUuid: string;
  readonly isReachable: boolean;
  /** The directory exists without a marker, and the node may be ordered to write one. */
  readonly isUnmarked: boolean;
  readonly reason: string;
}

/** Whether the agent reaches the workspaces that it was asked about. */
export interface Reachable {
  readonly type: 'reachable';
  readonly workspaces: readonly WorkspaceReach[];
}

/** `other`: the file there has another size, and was not removed. */
export type Deletion = 'removed' | 'absent' | 'other' | 'failed';

export interface FileDeletion {
  readonly path: string;
  readonly outcome: Deletion;
  /** Why it failed; otherwise ''. */
  readonly reason: string;
  readonly maySucceedLater: boolean;
}

/** The answer to `DeleteFiles`: one entry for each file. */
export interface FilesDeleted {
  readonly type: 'filesDeleted';
  readonly requestId: string;
  readonly files: readonly FileDeletion[];
}

/** The answer to `LookAtWorkspace`. */
export interface WorkspaceSeen {
  readonly type: 'workspaceSeen';
  readonly requestId: string;
  readonly isReachable: boolean;
  /** The place exists without a marker, and the node may be ordered to write one. */
  readonly isUnmarked: boolean;
  readonly reason: string;
}

/** The answer to `FindFiles`: files in the order of paths. `isLast`: no file follows. */
export interface FilesFound {
  readonly type: 'filesFound';
  readonly requestId: string;
  readonly files: readonly ListedFile[];
  readonly isLast: boolean;
  /** Why the workspace could not be read; '' if it was. */
  readonly problem: string;
}

export type AgentMessage =
  | Hello
  | Offer
  | Heartbeat
  | TaskUpdate
  | TaskUpdates
  | FilesSeen
  | IngestUpdate
  | IngestUpdates
  | Reachable
  | IngestProgress
  | ListingPage
  | FilesDeleted
  | FilesFound
  | WorkspaceSeen;

/** A piece of a task's output on the Logs stream. Token and name are set only on the first chunk of a stream. */
export interface LogChunk {
  readonly joinToken: string;
  readonly nodeName: string;
  readonly executionId: number;
  readonly stream: string;
  readonly offset: number;
  readonly atMs: number;
  readonly content: Uint8Array;
}

/** A piece of a file that was requested with SendFile. Token, request and total size are set only on the first one. */
export interface ContentChunk {
  readonly joinToken: string;
  readonly requestId: string;
  readonly content: Uint8Array;
  readonly error: string;
  readonly totalSize: number;
  /**
   * Accompanies an error: the workspace is reached, and the file is not in it. Absent from agents of earlier versions.
   */
  readonly isMissing?: boolean;
  /** The size of the whole file, in the answer to `onlyLook`. */
  readonly fileSize?: number;
}

/** An agent's report on an upload: the first gives the bytes that it already holds, the last the result. */
export interface UploadReport {
  readonly joinToken: string;
  readonly requestId: string;
  /** Bytes that are held and synced. */
  readonly offset: number;
  /** All of it is at its path. */
  readonly isStored: boolean;
  /** Lower-case hexadecimal, where it is stored; else ''. */
  readonly sha256: string;
  readonly error: string;
  /** Accompanies an error: an ErrorCode. */
  readonly code: string;
  /** These four fields repeat the values with which the upload began. */
  readonly path: string;
  readonly size: number;
  readonly expiresMs: number;
  readonly isRecorded: boolean;
}

/** Asks for a path of a product that does not name its execution. May be repeated. */
export interface PathRequest {
  readonly joinToken: string;
  readonly executionId: number;
  readonly workspaceUuid: string;
  readonly path: string;
  /** Distinguishes the product from any other file at the path, see `Broker.proofAt`. */
  readonly proof: string;
  /** The proof of the file that is at the path now; '' if there is none. */
  readonly foundProof: string;
  readonly size: number;
  readonly sha256: string;
}

/** The request of an agent without a certificate for the certificate of the cluster's authority. */
export interface IntroduceRequest {
  readonly nonce: Uint8Array;
}

export interface Introduction {
  /** PEM of the authority's certificate. */
  readonly certificate: string;
  /** Proof of the join token, over nonce and certificate. */
  readonly proof: Uint8Array;
}

/** Requests a certificate for a node's name. */
export interface EnrolRequest {
  /** Empty if the connection shows a certificate of the node. */
  readonly joinToken: string;
  readonly nodeName: string;
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

export interface Enrolment {
  /** PEM. */
  readonly certificate: string;
}
