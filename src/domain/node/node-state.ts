/**
 * What a node's actor remembers: its row, what runs on it, and the agent's session. A node is *online* while
 * an agent's session speaks, *lost* once it has been silent for `lostAfterMs`; being active and paused are
 * the administrator's words and change by nobody else's.
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

/** How often an agent says that it is there. */
const HEARTBEAT_MS = 2_000;
const HEARTBEAT_MS_MIN = 100;

/** How long an agent may be silent before nothing new is given to it. */
export const OFFLINE_AFTER_MS = 8_000;

/** How long a node may be offline before its executions are given up, unless settings say otherwise. */
export const LOST_AFTER_MS = 60_000;

export interface Pulse {
  /** How often the agent speaks, and its silence is looked at. */
  readonly heartbeatMs: number;
  readonly offlineAfterMs: number;
}

/** The signs of life of a node that counts as lost after so long: it speaks several times before that. */
export function pulseOf(lostAfterMs: number): Pulse {
  return {
    heartbeatMs: Math.min(HEARTBEAT_MS, Math.max(HEARTBEAT_MS_MIN, Math.floor(lostAfterMs / 4))),
    offlineAfterMs: Math.min(OFFLINE_AFTER_MS, Math.max(4 * HEARTBEAT_MS_MIN, lostAfterMs)),
  };
}

/** The row's `last_seen` is written no more often than this. */
export const LAST_SEEN_EVERY_MS = 60_000;

/** What an agent reports and no owner has committed: spool number -> execution. */
export type OpenReports = Map<number, number>;

/** limit: reports of one agent on their way to owners. What comes beyond is left to the agent's next repeat. */
export const REPORTS_MAX = 50_000;

/** A connection of the node's agent. All of it goes with the connection: the next hello says what the agent holds. */
export interface NodeSession {
  readonly id: string;
  readonly agentId: string;
  /** Something was heard since the silence was last looked at. */
  isHeard: boolean;
  /** Executions that the agent holds, or was told of over this session. */
  readonly sent: Set<number>;
  /** Tasks whose launches are still to be built. */
  readonly toBuild: Set<number>;
  isBuilding: boolean;
  /** Messages that wait for those before them to be handed over. */
  waiting: CoordinatorMessage[];
  isSending: boolean;
  readonly reports: OpenReports;
  /** How often a workspace that this node has claimed was reported without its marker. */
  readonly unmarked: Map<number, number>;
  /** Workspaces whose marker this agent failed to write: not claimed again by it. */
  readonly claimsFailed: Set<number>;
  /** Requests to delete files that the agent has not answered: who asked, as the actor knows them. */
  readonly deletions: Map<string, unknown>;
  /** The same for looks at places. */
  readonly looks: Map<string, unknown>;
}

export function newSession(id: string, agentId: string): NodeSession {
  return {
    id,
    agentId,
    isHeard: true,
    sent: new Set(),
    toBuild: new Set(),
    isBuilding: false,
    waiting: [],
    isSending: false,
    reports: new Map(),
    unmarked: new Map(),
    claimsFailed: new Set(),
    deletions: new Map(),
    looks: new Map(),
  };
}

export interface NodeState {
  readonly id: number;
  readonly hostname: string;
  agentId: string | null;
  pauseReason: string | null;
  isPaused: boolean;
  isActive: boolean;
  isOnline: boolean;
  resources: Readonly<Record<string, number>>;
  executors: readonly string[];
  errors: readonly NodeCondition[];
  warnings: readonly NodeCondition[];
  host: HostReport | null;
  readonly executions: Map<number, AssignedExecution>;
  readonly reachable: Set<number>;
  /** Known answers about reach, so that only changes are saved: workspace id -> reason ('' = reachable). */
  readonly reach: Map<number, string>;
  workspaces: ReadonlyMap<string, WorkspaceInfo>;
  session: NodeSession | null;
  /**
   * How long nothing was heard, added up from look to look: a jump of the clock, or a pause of this program in
   * which it could not listen, is no silence of the agent.
   */
  silentMs: number;
  watchedMs: number;
  /** What is lost is reported again after so long, until its owners have committed. */
  giveUpInMs: number;
  /** Executions of an agent that another one replaced: lost, whatever the new one says. */
  readonly orphans: Set<number>;
  /** The agent that took the former one's place, whose id the row gets once nothing of that is left. */
  successorId: string | null;
  /** What changed since rows were asked which executions run here; null while nobody asks. */
  checking: { readonly added: Set<number>; readonly removed: Set<number> } | null;
  isAskingWorkspaces: boolean;
  /** A session of another life that was told to end. */
  droppedSessionId: string | null;
  lastSeenSavedMs: number;
}

/** Why nothing is started that needs a workspace whose place is reached. */
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
    pauseReason: row.pauseReason,
    isPaused: row.isPaused,
    isActive: row.isActive,
    isOnline: row.isOnline,
    resources: row.resources,
    executors: row.executors,
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
    orphans: new Set(),
    successorId: null,
    checking: null,
    isAskingWorkspaces: false,
    droppedSessionId: null,
    lastSeenSavedMs: 0,
  };
}

/** An execution is this node's now. */
export function noteAssigned(state: NodeState, execution: AssignedExecution): void {
  const { executionId } = execution;
  state.executions.set(executionId, execution);
  state.checking?.added.add(executionId);
  state.checking?.removed.delete(executionId);
}

/** An execution has ended, as far as this node is concerned. */
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
  };
}

/** Reported conditions with the times they began: one that is known keeps its start. */
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

/** Whether two lists of conditions say the same, times of update aside. */
export function isSameConditions(a: readonly NodeCondition[], b: readonly NodeCondition[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => one.name === b[index]?.name && one.description === b[index]?.description)
  );
}

/** Whether two reports say the same, in whatever order a row gives them back. */
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

/** Takes a patch over into memory, as the store does into the row. */
export function applyPatch(state: NodeState, patch: NodePatch): void {
  if (patch.agentId !== undefined) state.agentId = patch.agentId;
  if (patch.pauseReason !== undefined) state.pauseReason = patch.pauseReason;
  if (patch.isPaused !== undefined) state.isPaused = patch.isPaused;
  if (patch.isActive !== undefined) state.isActive = patch.isActive;
  if (patch.isOnline !== undefined) state.isOnline = patch.isOnline;
  if (patch.resources !== undefined) state.resources = patch.resources;
  if (patch.executors !== undefined) state.executors = patch.executors;
  if (patch.errors !== undefined) state.errors = patch.errors;
  if (patch.warnings !== undefined) state.warnings = patch.warnings;
  if (patch.host !== undefined) state.host = patch.host;
}
