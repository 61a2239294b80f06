/** Messages to a node's actor: from its agent (through the gateway), the scheduler, owners of work, and HTTP. */

import type { JobOwner } from '../../domain/job/job.ts';
import type {
  FilesDeleted,
  FilesFound,
  Hello,
  IngestBytes,
  IngestUpdate,
  ListingPage,
  Offer,
  SeenFile,
  TaskUpdate,
  WorkspaceReach,
  WorkspaceSeen,
} from '../../domain/node/agent-messages.ts';
import type {
  FileToDelete,
  IngestItem,
  ReceiveFile,
  SendFile,
  WorkspaceRef,
} from '../../domain/node/coordinator-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';

export function nodeAddress(nodeId: number): Address<NodeMessage> {
  return address('node', String(nodeId));
}

/** The result of an owner's commit for executions of this node. */
export interface CommittedResult {
  readonly executionId: number;
  /** The id in the agent's spool; null if no agent reported it. */
  readonly spoolId: number | null;
  /** Nothing of it was registered: the agent removes what it stored. */
  readonly isVoid: boolean;
}

/** A monitor as its strike orders it. */
export interface MonitorOrder {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly strikeId: number;
  readonly workspace: WorkspaceRef;
  readonly transferSuffix: string;
  readonly stableMs: number;
  /** Files that were there before are not taken; 0: all are. */
  readonly sinceMs: number;
  readonly listEveryMs: number;
}

/** A listing as its owner orders it, starting after a path. */
export interface ListingOrder {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly owner: JobOwner;
  readonly workspace: WorkspaceRef;
  readonly recursive: boolean;
  readonly prefix: string;
  readonly after: string;
  /** '' = no name is skipped. */
  readonly transferSuffix: string;
  readonly pageSize: number;
  /** Sizes, times and identities are not needed. */
  readonly pathsOnly: boolean;
}

/** From the gateway. `sessionId` names its connection: messages of other sessions than the current one are ignored. */
export type AgentNodeMessage =
  /** Asked. */
  | (AnsweredWith<HelloAnswer> & {
      readonly type: 'hello';
      readonly sessionId: string;
      readonly hello: Hello;
    })
  | { readonly type: 'heard'; readonly sessionId: string }
  | { readonly type: 'offer'; readonly sessionId: string; readonly offer: Offer }
  | { readonly type: 'taskUpdates'; readonly sessionId: string; readonly updates: readonly TaskUpdate[] }
  | { readonly type: 'ingestUpdates'; readonly sessionId: string; readonly updates: readonly IngestUpdate[] }
  | {
      readonly type: 'filesSeen';
      readonly sessionId: string;
      readonly executionId: number;
      readonly owner: string;
      readonly batch: number;
      readonly files: readonly SeenFile[];
    }
  | { readonly type: 'ingestProgress'; readonly sessionId: string; readonly ingests: readonly IngestBytes[] }
  | { readonly type: 'listingPage'; readonly sessionId: string; readonly page: ListingPage }
  | { readonly type: 'filesDeleted'; readonly sessionId: string; readonly answer: FilesDeleted }
  | { readonly type: 'filesFound'; readonly sessionId: string; readonly answer: FilesFound }
  | { readonly type: 'workspaceSeen'; readonly sessionId: string; readonly answer: WorkspaceSeen }
  | { readonly type: 'reachable'; readonly sessionId: string; readonly workspaces: readonly WorkspaceReach[] }
  | { readonly type: 'sessionEnded'; readonly sessionId: string };

export type HelloAnswer =
  /** `comparesBoots`: as in the welcome; absent from coordinators of earlier versions. */
  | { readonly isAccepted: true; readonly comparesBoots?: boolean }
  | { readonly isAccepted: false; readonly reason: string };

export type NodeMessage =
  | AgentNodeMessage
  /** From the scheduler, after its placements are committed. */
  | { readonly type: 'launch'; readonly executions: readonly AssignedExecution[] }
  /** From strikes. */
  | {
      readonly type: 'startIngests';
      readonly items: readonly IngestItem[];
      readonly workspaces: readonly WorkspaceRef[];
    }
  | { readonly type: 'startMonitor'; readonly order: MonitorOrder }
  | { readonly type: 'stopMonitor'; readonly executionId: number }
  | { readonly type: 'filesCommitted'; readonly executionId: number; readonly batch: number }
  /** From owners of listings: strikes and scans. */
  | { readonly type: 'startListing'; readonly order: ListingOrder }
  | { readonly type: 'stopListing'; readonly executionId: number }
  | { readonly type: 'pageCommitted'; readonly executionId: number; readonly sequence: number }
  /** From owners. */
  | { readonly type: 'kill'; readonly executionIds: readonly number[] }
  | { readonly type: 'resultsCommitted'; readonly items: readonly CommittedResult[] }
  /** Asked by HTTP. `pauseReason` null clears it. */
  | (AnsweredWith<Confirmed> & {
      readonly type: 'edit';
      readonly pauseReason?: string | null;
      readonly isPaused?: boolean;
      readonly isActive?: boolean;
    })
  /**
   * Asked by HTTP. Answered once the agent was sent the request; refused with AGENT_UNAVAILABLE if it has no session
   * here.
   */
  | (AnsweredWith<Confirmed> & { readonly type: 'sendFile'; readonly file: SendFile })
  /** As `sendFile`. */
  | (AnsweredWith<Confirmed> & { readonly type: 'receiveFile'; readonly file: ReceiveFile })
  /**
   * Asked by purges. Answered once the agent has done it. Refused with AGENT_UNAVAILABLE if it has no session here,
   * with WORKSPACE_UNAVAILABLE if the workspace is not active.
   */
  | (AnsweredWith<FilesDeleted> & {
      readonly type: 'deleteFiles';
      readonly requestId: string;
      readonly workspaceUuid: string;
      readonly files: readonly FileToDelete[];
    })
  /**
   * Asked by HTTP: the next files of a workspace after a path. Refused with AGENT_UNAVAILABLE if the agent has no
   * session here, with WORKSPACE_UNAVAILABLE if the workspace is not active.
   */
  | (AnsweredWith<FilesFound> & {
      readonly type: 'findFiles';
      readonly requestId: string;
      readonly workspaceUuid: string;
      readonly after: string;
      readonly limit: number;
    })
  /**
   * Asked: whether the agent reaches this place, which may not belong to a workspace yet; credentials are encrypted.
   * Refused with AGENT_UNAVAILABLE if it has no session here.
   */
  | (AnsweredWith<WorkspaceSeen> & {
      readonly type: 'lookAt';
      readonly requestId: string;
      readonly workspace: WorkspaceRef;
    })
  | { readonly type: 'workspacesChanged' }
  | { readonly type: 'configure'; readonly loggingLevel: string }
  | { readonly type: 'wake' };
