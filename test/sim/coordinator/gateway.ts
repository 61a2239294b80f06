/** The agents' door of a simulated coordinator: greets, passes on and hangs up like src/rpc/agent-gateway.ts. */
import { type AgentNodeMessage, nodeAddress } from '../../../src/actors/node/node.messages.ts';
import type { AgentClock } from '../../../src/domain/node/agent-clock.ts';
import type {
  AgentMessage,
  Hello,
  IngestUpdate,
  TaskUpdate,
} from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage } from '../../../src/domain/node/coordinator-messages.ts';
import { nextMessage } from '../../../src/domain/node/launches.ts';
import { reportsOf } from '../../../src/domain/node/reports.ts';
import type { Clock, System } from '../../../src/kernel/mod.ts';
import type { Stream } from '../cables.ts';
import type { SimProcess } from '../sim-process.ts';

export type AgentStream = Stream<AgentMessage, CoordinatorMessage>;

const HELLO_DEADLINE_MS = 10_000;

interface Session {
  readonly id: string;
  readonly stream: AgentStream;
  readonly clock: AgentClock;
  nodeId: number;
  takesLaunches: boolean;
  isWelcomed: boolean;
  isEnded: boolean;
  waiting: CoordinatorMessage[];
}

/** What agents are sent, and what comes from them. */
export interface AgentSeams {
  toAgent?(message: CoordinatorMessage): CoordinatorMessage;
  fromAgent?(message: AgentMessage): AgentMessage;
}

export interface GatewayOptions {
  readonly self: string;
  readonly process: SimProcess;
  /** The database's. */
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly newAgentClock: () => AgentClock;
  readonly heartbeatMs: number;
  /** It is of a version that knows `IngestUpdates` and `TaskUpdates`. */
  readonly takesUpdates: boolean;
  readonly seams: AgentSeams;
  /** Several launches, or reports, came in one message. */
  readonly onTogether: (type: string) => void;
  readonly system: () => System;
}

export class SimGateway {
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, Session>();
  #count = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  open(stream: AgentStream): void {
    this.#count += 1;
    const id = `${this.#options.self}/${this.#count}`;
    const session: Session = {
      ...{ id, stream, clock: this.#options.newAgentClock() },
      ...{ nodeId: 0, takesLaunches: false, isWelcomed: false, isEnded: false, waiting: [] },
    };
    const { seams } = this.#options;
    let isFirst = true;
    const receive = (given: AgentMessage): void => {
      const message = seams.fromAgent?.(given) ?? given;
      if (!isFirst) this.#pass(session, message);
      else if (message.type === 'hello') {
        isFirst = false;
        this.#onHello(session, message).catch(() => this.#end(session));
      }
    };
    stream.onCall(receive, () => {
      this.#end(session);
      this.#closed(session);
    });
  }

  send(sessionId: string, messages: readonly CoordinatorMessage[]): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.isEnded) return;
    session.waiting.push(...messages);
    if (session.isWelcomed) this.#flush(session);
  }

  dropSession(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) this.#end(session);
  }

  async #onHello(session: Session, hello: Hello): Promise<void> {
    const nodeId = Number(hello.nodeName.replace('host-', ''));
    if (session.isEnded || this.#isMoved(session, nodeId)) return;
    session.nodeId = nodeId;
    session.takesLaunches = hello.takesLaunches;
    this.#sessions.set(session.id, session);
    const asked = { type: 'hello', sessionId: session.id, hello } as const;
    const options = { deadlineMs: HELLO_DEADLINE_MS };
    const answer = await this.#options.system().ask(nodeAddress(nodeId), asked, options);
    if (!answer.isAccepted) this.#refuse(session, { type: 'refused', reason: answer.reason });
    if (session.isEnded) return;
    session.isWelcomed = true;
    const { heartbeatMs, takesUpdates } = this.#options;
    const comparesBoots = answer.isAccepted && answer.comparesBoots === true;
    const takes = { takesIngestUpdates: takesUpdates, takesTaskUpdates: takesUpdates, comparesBoots };
    session.waiting.unshift({ type: 'welcome', nodeId, sessionId: session.id, heartbeatMs, ...takes });
    this.#flush(session);
  }

  #flush({ waiting, takesLaunches, stream }: Session): void {
    const { seams, onTogether } = this.#options;
    for (let sent = 0; sent < waiting.length; ) {
      const { message, count } = nextMessage(waiting, sent, takesLaunches);
      if (count > 1) onTogether('launches');
      stream.answer(seams.toAgent?.(message) ?? message);
      sent += count;
    }
    waiting.length = 0;
  }

  #isMoved(session: Session, nodeId: number): boolean {
    const owner = this.#options.system().ownerOf({ kind: 'node', key: String(nodeId) });
    if (owner === undefined || owner.id === this.#options.self) return false;
    this.#refuse(session, { type: 'moved', address: owner.grpcAddress });
    return true;
  }

  #pass(session: Session, message: AgentMessage): void {
    if (session.nodeId === 0 || session.isEnded || this.#isMoved(session, session.nodeId)) return;
    const { onTogether, takesUpdates } = this.#options;
    if (message.type === 'taskUpdates' || message.type === 'ingestUpdates') {
      if (!takesUpdates) return; // versions that don't know it skip it
      onTogether(message.type);
    }
    const nowMs = this.#options.clock.nowMs();
    if (message.type === 'heartbeat') session.clock.learn(message.nowMs, nowMs);
    const passed = nodeMessage(session.id, session.clock.translated(message, nowMs));
    if (passed !== undefined) this.#options.system().tell(nodeAddress(session.nodeId), passed);
  }

  #refuse(session: Session, message: CoordinatorMessage): void {
    if (session.isEnded) return;
    session.stream.answer(message);
    this.#end(session);
  }

  #end(session: Session): void {
    if (session.isEnded) return;
    session.isEnded = true;
    session.stream.end();
    this.#closed(session);
  }

  #closed(session: Session): void {
    if (!this.#sessions.delete(session.id)) return;
    const message: AgentNodeMessage = { type: 'sessionEnded', sessionId: session.id };
    this.#options.system().tell(nodeAddress(session.nodeId), message);
  }
}

function nodeMessage(sessionId: string, message: AgentMessage): AgentNodeMessage | undefined {
  switch (message.type) {
    case 'heartbeat':
      return { type: 'heard', sessionId };
    case 'offer':
      return { type: 'offer', sessionId, offer: message };
    case 'taskUpdate':
    case 'taskUpdates':
      return { type: 'taskUpdates', sessionId, updates: reportsOf(message) as TaskUpdate[] };
    case 'ingestUpdate':
    case 'ingestUpdates':
      return { type: 'ingestUpdates', sessionId, updates: reportsOf(message) as IngestUpdate[] };
    case 'filesSeen':
      return { ...message, sessionId };
    case 'filesDeleted':
      return { type: 'filesDeleted', sessionId, answer: message };
    case 'filesFound':
      return { type: 'filesFound', sessionId, answer: message };
    case 'workspaceSeen':
      return { type: 'workspaceSeen', sessionId, answer: message };
    case 'listingPage':
      return { type: 'listingPage', sessionId, page: message };
    case 'ingestProgress':
      return { type: 'ingestProgress', sessionId, ingests: message.ingests };
    case 'reachable':
      return { type: 'reachable', sessionId, workspaces: message.workspaces };
    case 'hello':
      return undefined;
  }
}
