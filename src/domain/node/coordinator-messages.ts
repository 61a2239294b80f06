/**
 * Messages from a coordinator to a node-agent, as plain data. The wire format is in proto/node/v1/agent.proto, the
 * conversion in src/wire/codecs/agent.ts. Documents that the receiver parses itself travel as JSON text.
 */
import type { Amounts } from './agent-messages.ts';

export interface Welcome {
  readonly type: 'welcome';
  readonly nodeId: number;
  readonly sessionId: string;
  readonly heartbeatMs: number;
  /** Whether several ends of ingests may come in one message. */
  readonly takesIngestUpdates: boolean;
  /** Whether several ends of tasks may come in one message. */
  readonly takesTaskUpdates: boolean;
  /**
   * After a boot with another id, tasks that the agent holds no record of are ended and never launched again. So a
   * record of a launch need not outlast the boot.
   */
  readonly comparesBoots: boolean;
}

/** The present addresses of all coordinators. */
export interface Coordinators {
  readonly type: 'coordinators';
  /** `host:port`. */
  readonly addresses: readonly string[];
}

/** Another coordinator owns the node; connect to it. */
export interface Moved {
  readonly type: 'moved';
  readonly address: string;
}

export interface Refused {
  readonly type: 'refused';
  readonly reason: string;
}

/** A workspace that the work needs. `configuration`: JSON text of its configuration, with credentials. */
export interface WorkspaceRef {
  readonly uuid: string;
  readonly name: string;
  readonly configuration: string;
}

export interface InputFile {
  readonly fileId: number;
  readonly workspaceUuid: string;
  readonly path: string;
  readonly fileName: string;
  readonly size: number;
  readonly isSource: boolean;
  /** JSON text of the stored file's details. */
  readonly record: string;
}

export interface TaskInput {
  readonly name: string;
  readonly multiple: boolean;
  readonly partial: boolean;
  readonly files: readonly InputFile[];
}

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

export interface OutputTarget {
  readonly output: string;
  readonly workspaceUuid: string;
}

/** Everything one execution of a job needs. */
export interface Launch {
  readonly type: 'launch';
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly owner: string;
  readonly jobTypeName: string;
  readonly jobTypeVersion: string;
  /** An OCI reference, or `process:<profile>`. */
  readonly containerImage: string;
  /** JSON text: the Seed manifest of the job's revision, defaults filled in. */
  readonly manifest: string;
  readonly inputs: readonly TaskInput[];
  /** JSON object text. */
  readonly jsonInputs: string;
  readonly settings: readonly Setting[];
  /** JSON text: mount name -> {type, host_path | driver, driver_opts}. */
  readonly mounts: string;
  readonly resources: Amounts;
  readonly inputMib: number;
  readonly outputs: readonly OutputTarget[];
  /** Relative to each output workspace; used by this execution alone. Empty if it has no outputs. */
  readonly productDirectory: string;
  readonly workspaces: readonly WorkspaceRef[];
  /** Time limit of the main task in seconds; 0 = none. */
  readonly timeoutS: number;
  readonly environment: Readonly<Record<string, string>>;
  /** JSON text of the input meta-data document; '' when there is none. */
  readonly inputMetadata: string;
  readonly isSystem: boolean;
  /** MiB of each output stream that are kept; absent: `LOG_LIMIT_DEFAULT`. */
  readonly logLimitMib?: number | undefined;
  /** Products keep their paths below the output directory, and reserve them; absent: they go to `productDirectory`. */
  readonly ownProductPaths?: boolean | undefined;
}

/** The fields that all launches of one revision of a job type share. */
export type LaunchRevision = Pick<
  Launch,
  'jobTypeName' | 'jobTypeVersion' | 'containerImage' | 'manifest' | 'mounts' | 'isSystem'
>;

/** Several launches that are sent together, for agents that accept them (`Hello.takesLaunches`). */
export interface Launches {
  readonly type: 'launches';
  readonly revisions: readonly LaunchRevision[];
  /** `revision`: a place in `revisions`; `launch` has these fields empty. */
  readonly items: readonly { readonly revision: number; readonly launch: Omit<Launch, 'type'> }[];
}

export interface Kill {
  readonly type: 'kill';
  readonly executionId: number;
}

export interface IngestItem {
  readonly ingestId: number;
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly owner: string;
  readonly sourceWorkspaceUuid: string;
  readonly sourcePath: string;
  readonly expectedSize: number;
  readonly expectedMtimeMs: number;
  /** '' with an empty path: the file stays where it is. */
  readonly targetWorkspaceUuid: string;
  readonly targetPath: string;
  readonly expectedIdentity: string;
}

export interface Ingest {
  readonly type: 'ingest';
  readonly items: readonly IngestItem[];
  readonly workspaces: readonly WorkspaceRef[];
}

export interface Monitor {
  readonly type: 'monitor';
  readonly executionId: number;
  readonly owner: string;
  readonly workspace: WorkspaceRef;
  readonly transferSuffix: string;
  readonly stableMs: number;
  /** Files whose last change of status is before this time are not taken; 0: all are. */
  readonly sinceMs: number;
  readonly listEveryMs: number;
}

export interface StopMonitor {
  readonly type: 'stopMonitor';
  readonly executionId: number;
}

/** Lists the files of a workspace by path, ascending, without hidden names. */
export interface ListFiles {
  readonly type: 'listFiles';
  readonly executionId: number;
  readonly owner: string;
  readonly workspace: WorkspaceRef;
  readonly recursive: boolean;
  /** Only paths with this prefix. */
  readonly prefix: string;
  /** Only paths after this one. */
  readonly after: string;
  /** Names that end with it are left out; '' = none. */
  readonly transferSuffix: string;
  /** Files in a page. */
  readonly pageSize: number;
  /** Sizes, times and identities are not needed. */
  readonly pathsOnly: boolean;
}

export interface StopListing {
  readonly type: 'stopListing';
  readonly executionId: number;
}

/** The page is committed. */
export interface ListingAck {
  readonly type: 'listingAck';
  readonly executionId: number;
  readonly sequence: number;
}

/** All workspaces to check; replaces the previous set. */
export interface CheckWorkspaces {
  readonly type: 'checkWorkspaces';
  readonly workspaces: readonly WorkspaceRef[];
  readonly claimUuids: readonly string[];
}

/** Spooled updates that are committed (or void): the agent may forget them. */
export interface Ack {
  readonly type: 'ack';
  readonly spoolIds: readonly number[];
  /** Void executions of which nothing was registered: the agent removes what they stored. */
  readonly discardExecutionIds: readonly number[];
}

export interface FilesAck {
  readonly type: 'filesAck';
  readonly executionId: number;
  readonly batch: number;
}

export interface Configure {
  readonly type: 'configure';
  readonly loggingLevel: string;
}

/**
 * Orders an agent to send a file of a workspace on a Content stream. `length` 0 = to the end. `receiver`: address of
 * the coordinator that takes the stream, '' for that of the session. `onlyLook`: send the file's size and no bytes.
 */
export interface SendFile {
  readonly type: 'sendFile';
  readonly requestId: string;
  readonly workspace: WorkspaceRef;
  readonly path: string;
  readonly offset: number;
  readonly length: number;
  readonly receiver: string;
  readonly onlyLook: boolean;
}

/**
 * Orders an agent to receive a file on an Upload stream, which it opens. The agent keeps the upload under `uploadId`
 * until it is complete, and then stores it at its path, unless a file is there.
 */
export interface ReceiveFile {
  readonly type: 'receiveFile';
  readonly requestId: string;
  readonly workspace: WorkspaceRef;
  /** Empty: an upload that has begun is continued. */
  readonly path: string;
  readonly uploadId: string;
  /** Bytes; -1: the end of the stream shows the size. */
  readonly size: number;
  /**
   * Until this time the agent keeps the received bytes, even if the stream breaks. 0: the time of a known upload stays
   * as it was, and a new upload is not kept.
   */
  readonly expiresMs: number;
  /** The file has to be recorded once it is stored. */
  readonly isRecorded: boolean;
  /** Receive nothing, and remove the upload. */
  readonly isAbandoned: boolean;
  /** Address of the coordinator that serves the stream, '' for that of the session. */
  readonly receiver: string;
  /** The account that the upload belongs to, 0 for none. An upload of another account is not found. */
  readonly accountId: number;
  /** Receive nothing: the stored file has been recorded. */
  readonly isSettled: boolean;
}

export interface Drain {
  readonly type: 'drain';
}

export interface FileToDelete {
  readonly path: string;
  /** The file is removed only while it has this size. */
  readonly size: number;
}

/** Removes these files. May be repeated: a missing file counts as absent. */
export interface DeleteFiles {
  readonly type: 'deleteFiles';
  readonly requestId: string;
  readonly workspace: WorkspaceRef;
  readonly files: readonly FileToDelete[];
}

/** Checks whether this place exists, without writing to it; no workspace may have it yet. */
export interface LookAtWorkspace {
  readonly type: 'lookAtWorkspace';
  readonly requestId: string;
  readonly workspace: WorkspaceRef;
}

/** Asks for the next files of a workspace after a path, at most `limit`. */
export interface FindFiles {
  readonly type: 'findFiles';
  readonly requestId: string;
  readonly workspace: WorkspaceRef;
  readonly after: string;
  readonly limit: number;
}

export type CoordinatorMessage =
  | Welcome
  | Moved
  | Refused
  | Launch
  | Launches
  | Kill
  | Ingest
  | Monitor
  | StopMonitor
  | CheckWorkspaces
  | Ack
  | FilesAck
  | Configure
  | SendFile
  | ReceiveFile
  | Drain
  | ListFiles
  | StopListing
  | ListingAck
  | DeleteFiles
  | FindFiles
  | LookAtWorkspace
  | Coordinators;

/** A piece of a file. `isLast`: nothing follows, and the received bytes are kept. */
export interface UploadPiece {
  readonly content: Uint8Array;
  readonly isLast: boolean;
}

/**
 * Whether a product may have a path. `reserved`: store it there, without overwriting. `kept`: the file there is this
 * product, stored by an earlier run of the execution. `replace`: the file there is of an earlier attempt of the job;
 * remove it, and ask again. `taken`: the path belongs to another job or file. `over`: the execution no longer runs.
 */
export type PathVerdict = 'reserved' | 'kept' | 'replace' | 'taken' | 'over';

export interface PathReservation {
  readonly verdict: PathVerdict;
  /** For people: why the path is not the job's; '' if it is. */
  readonly reason: string;
  /** With `over`: this execution stored the file that is at the path. */
  readonly isOwnFile: boolean;
}

/** Everything before `offset` of that stream of the execution is stored. */
export interface LogAck {
  readonly executionId: number;
  readonly stream: string;
  readonly offset: number;
}
