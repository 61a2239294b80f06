/** The real node actor. The gateway, the store and the owners of work are simulated by the test. */
import { type NodeLimits, nodeActor } from '../../../src/actors/node/node.actor.ts';
import type { AgentNodeMessage } from '../../../src/actors/node/node.messages.ts';
import type { LaunchSpecs, NodePorts } from '../../../src/actors/node/node.ports.ts';
import type { Change } from '../../../src/domain/changes.ts';
import type { Hello, TaskUpdate } from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage, Launch } from '../../../src/domain/node/coordinator-messages.ts';
import type { AssignedExecution, NodeRow, WorkspaceInfo } from '../../../src/domain/node/node.ts';
import { makeLaunch } from '../agent/make-launch.ts';
import { ActorWorld } from './actor-world.ts';

export const NODE = 5;

export function makeExecution(id: number, over: Partial<AssignedExecution> = {}): AssignedExecution {
  return { executionId: id, jobId: id, exeNum: 1, owner: { kind: 'recipe', key: 9 }, work: 'task', ...over };
}

export function makeHello(over: Partial<Hello> = {}): Hello {
  return {
    type: 'hello',
    protocol: 1,
    nodeName: 'host',
    agentId: 'agent-a',
    version: '1',
    joinToken: '',
    labels: {},
    resources: { cpus: 4 },
    executors: ['docker'],
    executions: [],
    monitorExecutionIds: [],
    listingExecutionIds: [],
    ingestExecutionIds: [],
    takesLaunches: false,
    bootId: '',
    takesWorkAhead: false,
    ...over,
  };
}

export function makeUpdate(spoolId: number, executionId: number, over: Partial<TaskUpdate> = {}): TaskUpdate {
  return {
    type: 'taskUpdate',
    spoolId,
    executionId,
    jobId: executionId,
    exeNum: 1,
    owner: 'recipe/9',
    outcome: 'COMPLETED',
    phases: [],
    outputs: [],
    jsonOutputs: '{}',
    parsedInputs: [],
    ...over,
  };
}

type Said = Extract<AgentNodeMessage, { readonly sessionId: string }>;

export class NodeWorld extends ActorWorld {
  readonly rows = { executions: [] as AssignedExecution[], workspaces: [] as WorkspaceInfo[] };
  readonly node: { -readonly [K in keyof NodeRow]: NodeRow[K] };
  readonly sent: { readonly sessionId: string; readonly message: CoordinatorMessage }[] = [];
  readonly dropped: string[] = [];
  level = 'INFO';
  isKnown = true;
  read = async (): Promise<readonly AssignedExecution[]> => this.rows.executions;
  /** Which executions have no row; may throw. */
  readUnknown: (ids: readonly number[]) => Promise<readonly number[]> = async () => [];
  /** Builds launches; may throw. */
  build: (ids: readonly number[]) => LaunchSpecs | Promise<LaunchSpecs>;
  readonly #beating = new Set<string>();

  constructor(limits: NodeLimits = { lostAfterMs: 60_000 }) {
    const held: { self?: NodeWorld } = {};
    const self = (): NodeWorld => held.self as NodeWorld;
    const ports: NodePorts = {
      loadNodes: async () => (self().isKnown ? new Map([[NODE, self().#row()]]) : new Map()),
      dueNodes: async () => [NODE],
      assignedTo: () => self().read(),
      unknownExecutions: (ids) => self().readUnknown(ids),
      launchSpecs: async (ids) => self().build(ids),
      activeWorkspaces: async () => self().rows.workspaces,
      loggingLevel: async () => self().level,
      send: async ({ sessionId, messages }) => {
        for (const message of messages) self().sent.push({ sessionId, message });
      },
      dropSession: async ({ sessionId }) => {
        self().dropped.push(sessionId);
        self().#beating.delete(sessionId);
      },
    };
    super('node', {
      def: nodeActor(limits),
      ports,
      others: ['recipe', 'job', 'strike', 'scan', 'scheduler'],
    });
    held.self = this;
    this.build = (ids) => ({ launches: ids.map((id) => makeLaunch(id)), failed: [] });
    this.node = {
      id: NODE,
      hostname: 'host',
      agentId: null,
      bootId: null,
      pauseReason: null,
      isPaused: false,
      isActive: true,
      isOnline: false,
      resources: {},
      executors: [],
      takesWorkAhead: false,
      errors: [],
      warnings: [],
      host: null,
      executions: [],
      reach: [],
    };
    this.answer = (change) => this.#save(change);
  }

  #row(): NodeRow {
    return { ...this.node, executions: [...this.rows.executions] };
  }

  #save(change: Change): unknown {
    if (change.type === 'saveNode') Object.assign(this.node, change.patch);
    if (change.type === 'claimWorkspaces') {
      const free = this.rows.workspaces.filter((one) => one.claimedNodeId === null);
      const claimed = free.filter((one) => change.workspaceIds.includes(one.id)).map((one) => one.id);
      this.#claim(claimed, change.nodeId);
      return { claimed };
    }
    if (change.type === 'releaseClaims') this.#claim(change.workspaceIds, null);
    return undefined;
  }

  #claim(ids: readonly number[], claimedNodeId: number | null): void {
    const { rows } = this;
    rows.workspaces = rows.workspaces.map((one) => (ids.includes(one.id) ? { ...one, claimedNodeId } : one));
  }

  /** Sends an agent's hello, and then heartbeats until the session ends. */
  async hello(sessionId: string, over: Partial<Hello> = {}) {
    const asked = this.ask(NODE, { type: 'hello', sessionId, hello: makeHello(over) } as Said);
    await this.clock.settle();
    if ((asked.value as { isAccepted: boolean }).isAccepted) {
      this.#beating.add(sessionId);
      this.#beat(sessionId);
    }
    return asked.value;
  }

  #beat(sessionId: string): void {
    if (!this.#beating.has(sessionId)) return;
    this.tell(NODE, { type: 'heard', sessionId } as Said);
    this.clock.timer(2_000, () => this.#beat(sessionId));
  }

  /** Stops the agent's heartbeats without ending the session. */
  silence(): void {
    this.#beating.clear();
  }

  async say(message: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<void> {
    this.tell(NODE, message);
    await this.clock.settle();
  }

  /** Places executions on the node, as the scheduler does. */
  launch(...ids: number[]): Promise<void> {
    const executions = ids.map((id) => makeExecution(id));
    this.rows.executions = [...this.rows.executions, ...executions];
    return this.say({ type: 'launch', executions });
  }

  /** Reports that the owner of an execution has saved its end. */
  commit(executionId: number, spoolId: number | null, isVoid = false): Promise<void> {
    this.rows.executions = this.rows.executions.filter((one) => one.executionId !== executionId);
    return this.say({ type: 'resultsCommitted', items: [{ executionId, spoolId, isVoid }] });
  }

  /** Messages to the agent of one type, since `forget`. */
  toAgent<T extends CoordinatorMessage['type']>(type: T): Extract<CoordinatorMessage, { type: T }>[] {
    const messages = this.sent.map((one) => one.message);
    return messages.filter((one): one is Extract<CoordinatorMessage, { type: T }> => one.type === type);
  }

  launched(): number[] {
    return this.toAgent('launch').map((one: Launch) => one.executionId);
  }

  /** Executions that the node's actor reported as failed, by owner. */
  givenUp(): { readonly executionId: number; readonly error: string | undefined; readonly to: string }[] {
    type Result = { executionId: number; error: { name: string } | null };
    return this.heard('taskEnded').flatMap(({ to, results }) =>
      (results as { result: Result; spoolId: number | null }[])
        .filter((one) => one.spoolId === null)
        .map(({ result }) => ({ executionId: result.executionId, error: result.error?.name, to })),
    );
  }

  override forget(): void {
    super.forget();
    this.sent.length = 0;
    this.dropped.length = 0;
  }
}
