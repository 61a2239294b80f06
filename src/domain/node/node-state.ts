/**
 * The state of a node's actor: its row, its executions, and the agent's session. A node is *online* while an agent's
 * session is alive, and *lost* once it has been silent for `lostAfterMs`. Whether it is active and paused is set by
 * administrators only.
 */
import type { NodeView } from '../scheduling/snapshot.ts';
import type { HostReport, NodeCondition as ReportedCondition } from './agent-messages.ts';
import type { CoordinatorMessage } from './coordinator-messages.ts';
import type {
  AssignedExecution,
  KnownReach,
  NodeCondition,
  NodePatch,
  NodeRow,
  WorkspaceInfo,
} from './node.ts';

/** The interval of an agent's heartbeats. */
const HEARTBEAT_MS = 2_000;
const HEARTBEAT_MS_MIN = 100;

/** How long an agent may be silent before it gets no new work. */
export const OFFLINE_AFTER_MS = 8_000;

/** How long a node may be offline before its executions are given up; a setting can change it. */
export const LOST_AFTER_MS = 60_000;

export interface Pulse {
  /** The interval of heartbeats, at which silence is checked, too. */
  readonly heartbeatMs: number;
  readonly offlineAfterMs: number;
}

/** The timing for a node that counts as lost after this time: it sends several heartbeats before that. */
export function pulseOf(lostAfterMs: number): Pulse {
  return {
    heartbeatMs: Math.min(HEARTBEAT_MS, Math.max(HEARTBEAT_MS_MIN, Math.floor(lostAfterMs / 4))),
    offlineAfterMs: Math.min(OFFLINE_AFTER_MS, Math.max(4 * HEARTBEAT_MS_MIN, lostAfterMs)),
  };
}

/** The row's `last_seen` is written at most this often. */
export const LAST_SEEN_EVERY_MS = 60_000;

/** Reports of an agent that their owners have not committed yet: spool number -> execution. */
export type OpenReports = Map<number, number>;

/** limit: reports of one agent on their way to owners. Further ones are left to the agent's next repeat. */
export const REPORTS_MAX = 50_000;

/** `refusal`: why the agent could not write the marker, if it has said so. */
export interface UnmarkedClaim {
  readonly times: number;
  readonly refusal: string | null;
}

export interface FailedClaim {
  readonly atMs: number;
  readonly refusal: string | null;
}

/**
 * A connection of the node's agent. This state ends with the connection, because the next hello lists everything that
 * the agent holds.
 */
export interface NodeSession {
  readonly id: string;
  readonly agentId: string;
  /** When the last message of the session has come; null: none since the last check for silence. */
  heardMs: number | null;
  /** Executions that the agent holds, or was sent in this session. */
  readonly sent: Set<number>;
  /** Tasks whose launches are not built yet. */
  readonly toBuild: Set<number>;
  isBuilding: boolean;
  /** Messages that wait until earlier ones have been passed to the connection. */
  waiting: CoordinatorMessage[];
  isSending: boolean;
  readonly reports: OpenReports;
  /** Workspaces that this node has claimed, and that were reported without their marker. */
  readonly unmarked: Map<number, UnmarkedClaim>;
  /** Workspaces that this node has released, because its agent failed to write their marker. */
  readonly claimsFailed: Map<number, FailedClaim>;
  /** Pending requests to delete files, with their askers in the form that the actor uses. */
  readonly deletions: Map<string, unknown>;
  /** The same for requests to look at a workspace (`LookAtWorkspace`). */
  readonly looks: Map<string, unknown>;
  /** The same for requests for files of a workspace (`FindFiles`). */
  readonly finds: Map<string, unknown>;
}

export function newSession(id: string, agentId: string, nowMs: number): NodeSession {
  return {
    id,
    agentId,
    heardMs: nowMs,
    sent: new Set(),
    toBuild: new Set(),
    isBuilding: false,
    waiting: [],
    isSending: false,
    reports: new Map(),
    unmarked: new Map(),
    claimsFailed: new Map(),
    deletions: new Map(),
    looks: new Map(),
    finds: new Map(),
  };
}

/** How a lost execution has ended. */
export interface LossError {
  readonly name: 'node-lost' | 'docker-terminated';
  readonly detail: string;
}

/**
 * The agent, or the boot of its host, that came after the one that the row names. The row gets it once all executions
 * of the former one have ended: an actor that is loaded before that finds the same difference at the next hello. Until
 * then nothing is launched, because an execution of the row may have been launched before.
 */
export interface Successor {
  readonly agentId: string;
  readonly bootId: string;
  /** Executions of which the agent had records in its first hello; it reports their ends itself. */
  readonly held: ReadonlySet<number>;
  readonly error: LossError;
  /** Whether only tasks are lost: the same agent continues or repeats its other work. */
  readonly isBootOnly: boolean;
  /** The session of its first hello. */
  readonly sessionId: string;
  /** The read of all executions in the rows, some of which this actor may not know. */
  search: 'due' | 'underWay' | 'done';
}

export interface NodeState {
  readonly id: number;
  readonly hostname: string;
  agentId: string | null;
  bootId: string | null;
  pauseReason: string | null;
  isPaused: boolean;
  isActive: boolean;
  isOnline: boolean;
  resources: Readonly<Record<string, number>>;
  executors: readonly string[];
  takesWorkAhead: boolean;
  errors: readonly NodeCondition[];
  warnings: readonly NodeCondition[];
  host: HostReport | null;
  readonly executions: Map<number, AssignedExecution>;
  readonly reachable: Set<number>;
  /** Known results for workspaces, so that only changes are saved: workspace id -> reason ('' = reachable). */
  readonly reach: Map<number, string>;
  workspaces: ReadonlyMap<string, WorkspaceInfo>;
  session: NodeSession | null;
  /** The silence, summed over checks, so that a jump of the clock or a pause of this program does not count. */
  silentMs: number;
  /** The time of the last check for silence. */
  watchedMs: number;
  /** Lost executions are reported again after this time, until their owners have committed. */
  giveUpInMs: number;
  /** Executions that ended with the agent, or the boot, that the row names: they are lost, with this error. */
  readonly orphans: Map<number, LossError>;
  successor: Successor | null;
  /** Changes since a read of the executions in the rows began; null while no such read is pending. */
  checking: { readonly added: Set<number>; readonly removed: Set<number> } | null;
  isAskingWorkspaces: boolean;
  /** The last time that the agent was asked about all workspaces, because it was due. */
  workspacesAskedMs: number;
  /** A session of an earlier generation that has been ordered to end. */
  droppedSessionId: string | null;
  lastSeenSavedMs: number;
}

/** The reason that is shown for a deactivated workspace that the node reaches. */
export const DEACTIVATED = 'the workspace is deactivated';

function isUsable({ isReachable, isDeactivated }: KnownReach): boolean {
  return isReachable && !isDeactivated;
}

function reasonOf(one: KnownReach): string {
  if (isUsable(one)) return '';
  return one.isReachable ? DEACTIVATED : (one.reason ?? 'unreachable');
}

export function nodeStateOf(row: NodeRow): NodeState {
  return {
    id: row.id,
    hostname: row.hostname,
    agentId: row.agentId,
    bootId: row.bootId,
    pauseReason: row.pauseReason,
    isPaused: row.isPaused,
    isActive: row.isActive,
    isOnline: row.isOnline,
    resources: row.resources,
    executors: row.executors,
    takesWorkAhead: row.takesWorkAhead,
    errors: row.errors,
    warnings: row.warnings,
    host: row.host,
    executions: new Map(row.executions.map((one) => [one.executionId, one])),
    reachable: new Set(row.reach.filter(isUsable).map((one) => one.workspaceId)),
    reach: new Map(row.reach.map((one) => [one.workspaceId, reasonOf(one)])),
    workspaces: new Map(),
    session: null,
    silentMs: 0,
    watchedMs: 0,
    giveUpInMs: 0,
    orphans: new Map(),
    successor: null,
    checking: null,
    isAskingWorkspaces: false,
    workspacesAskedMs: 0,
    droppedSessionId: null,
    lastSeenSavedMs: 0,
  };
}

/** Adds an execution that is placed on this node. */
export function noteAssigned(state: NodeState, execution: AssignedExecution): void {
  const { executionId } = execution;
  state.executions.set(executionId, execution);
  state.checking?.added.add(executionId);
  state.checking?.removed.delete(executionId);
}

/** Removes an execution that has ended or moved. */
export function noteUnassigned(state: NodeState, executionId: number): void {
  state.executions.delete(executionId);
  state.orphans.delete(executionId);
  state.session?.toBuild.delete(executionId);
  state.checking?.removed.add(executionId);
  state.checking?.added.delete(executionId);
}

/** The node as the scheduler sees it. */
export function viewOf(state: NodeState): NodeView {
  return {
    nodeId: state.id,
    hostname: state.hostname,
    isReady: state.isOnline && state.isActive && !state.isPaused && state.errors.length === 0,
    total: state.resources,
    executors: state.executors,
    workspaceIds: [...state.reachable],
    takesWorkAhead: state.takesWorkAhead,
  };
}

/** Reported conditions with their start times: a known condition keeps its start. */
export function conditionsOf(
  reported: readonly ReportedCondition[],
  known: readonly NodeCondition[],
  nowMs: number,
): readonly NodeCondition[] {
  return reported.map((one) => ({
    name: one.name,
    title: one.title,
    description: one.description,
    startedMs: known.find((other) => other.name === one.name)?.startedMs ?? nowMs,
    lastUpdatedMs: nowMs,
  }));
}

/** Whether two lists have the same conditions in the same order, by name and description. */
export function isSameConditions(a: readonly NodeCondition[], b: readonly NodeCondition[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => one.name === b[index]?.name && one.description === b[index]?.description)
  );
}

/** Whether two reports are equal, regardless of the order of members in a row. */
export function isSameHost(a: HostReport, b: HostReport | null): boolean {
  if (b === null) return false;
  const amounts = Object.entries(a.resources);
  return (
    (a.taskFolder ?? '') === (b.taskFolder ?? '') &&
    amounts.length === Object.keys(b.resources).length &&
    amounts.every(([name, amount]) => b.resources[name] === amount) &&
    a.tasks.length === b.tasks.length &&
    a.tasks.every(({ type, count }, index) => {
      const other = b.tasks[index];
      return type === other?.type && count === other.count;
    })
  );
}

/** Applies a patch in memory, as the store applies it to the row. */
export function applyPatch(state: NodeState, patch: NodePatch): void {
  if (patch.agentId !== undefined) state.agentId = patch.agentId;
  if (patch.bootId !== undefined) state.bootId = patch.bootId;
  if (patch.pauseReason !== undefined) state.pauseReason = patch.pauseReason;
  if (patch.isPaused !== undefined) state.isPaused = patch.isPaused;
  if (patch.isActive !== undefined) state.isActive = patch.isActive;
  if (patch.isOnline !== undefined) state.isOnline = patch.isOnline;
  if (patch.resources !== undefined) state.resources = patch.resources;
  if (patch.executors !== undefined) state.executors = patch.executors;
  if (patch.takesWorkAhead !== undefined) state.takesWorkAhead = patch.takesWorkAhead;
  if (patch.errors !== undefined) state.errors = patch.errors;
  if (patch.warnings !== undefined) state.warnings = patch.warnings;
  if (patch.host !== undefined) state.host = patch.host;
}
