/**
 * The gRPC server for agents: streams become messages to node actors, and what node actors send becomes messages on
 * streams. Knows who may speak (the join token) and which coordinator owns a node; decides nothing else.
 */
import { timingSafeEqual } from 'node:crypto';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { AgentNodeMessage, HelloAnswer } from '../actors/node/node.messages.ts';
import { AppError } from '../domain/errors.ts';
import {
  AGENT_PROTOCOL,
  type AgentMessage,
  type Hello,
  type LogChunk,
} from '../domain/node/agent-messages.ts';
import type { CoordinatorMessage } from '../domain/node/coordinator-messages.ts';
import type { System } from '../kernel/mod.ts';
import { AGENT_MESSAGE_BYTES_MAX, AGENT_SERVICE } from '../wire/agent-service.ts';
import { type ContentRequests, receiveContent } from './content.ts';
import { receiveLogs } from './logs.ts';
import { AgentSession, type AgentStream } from './session.ts';

export interface GatewayLog {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
}

export interface GatewayOptions {
  /** `host:port` or `unix:<path>`. */
  readonly listen: string;
  readonly joinToken: string;
  /** Id of this coordinator. */
  readonly self: string;
  readonly system: Pick<System, 'ask' | 'tell' | 'ownerOf'>;
  /** The node of a host name: its id, made when the name is new. */
  readonly ensureNode: (hostname: string) => Promise<number>;
  /** Keeps pieces of logs, idempotent by offset; throws when they could not be kept. */
  readonly saveLogs: (chunks: readonly LogChunk[]) => Promise<void>;
  readonly contents: ContentRequests;
  readonly newSessionId: () => string;
  /** How often agents say that they are there. */
  readonly heartbeatMs: number;
  readonly log: GatewayLog;
}

export interface AgentGateway {
  /** The address in use: a port that was 0 is known now. */
  readonly address: string;
  send(sessionId: string, messages: readonly CoordinatorMessage[]): void;
  dropSession(sessionId: string): void;
  /** Ends all sessions; agents go on with what they run and look for another coordinator. */
  stop(): Promise<void>;
}

const HELLO_DEADLINE_MS = 15_000;
const NAME_CHARS_MAX = 250;
const KEEPALIVE = {
  'grpc.max_receive_message_length': AGENT_MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': AGENT_MESSAGE_BYTES_MAX,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
};

export async function startGateway(options: GatewayOptions): Promise<AgentGateway> {
  const gateway = new Gateway(options);
  await gateway.listen();
  return gateway;
}

class Gateway implements AgentGateway {
  address = '';
  readonly #options: GatewayOptions;
  readonly #server = new Server(KEEPALIVE);
  readonly #sessions = new Map<string, AgentSession>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { saveLogs, contents, log } = options;
    const isKnown = (token: string): boolean => isEqual(token, options.joinToken);
    this.#server.addService(AGENT_SERVICE as never, {
      session: (stream: AgentStream) => this.#open(stream),
      logs: receiveLogs({ isKnown, saveLogs, log }),
      content: receiveContent({ isKnown, contents }),
    });
  }

  async listen(): Promise<void> {
    const { listen } = this.#options;
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(listen, ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else
          reject(
            new AppError('ADDRESS_IN_USE', `cannot listen for agents on ${listen}`, {}, { cause: error }),
          );
      });
    });
    this.address = listen.startsWith('unix:') ? listen : listen.replace(/:\d+$/, `:${port}`);
  }

  send(sessionId: string, messages: readonly CoordinatorMessage[]): void {
    this.#sessions.get(sessionId)?.send(messages);
  }

  dropSession(sessionId: string): void {
    this.#sessions.get(sessionId)?.end();
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions.values()) session.end();
    this.#sessions.clear();
    this.#server.forceShutdown();
  }

  #open(stream: AgentStream): void {
    const session = new AgentSession(this.#options.newSessionId(), stream);
    let isFirst = true;
    const deadline = setTimeout(() => session.end(), HELLO_DEADLINE_MS);
    const close = (): void => {
      clearTimeout(deadline);
      session.end();
      this.#close(session);
    };
    stream.on('data', (message: AgentMessage) => {
      if (!isFirst) this.#pass(session, message);
      else if (message.type === 'hello') {
        isFirst = false;
        clearTimeout(deadline);
        this.#greet(session, message).catch((error: unknown) => {
          this.#options.log.warn('agent_hello_failed', { node: message.nodeName, error: String(error) });
          session.end();
        });
      } else close();
    });
    stream.on('end', close);
    stream.on('cancelled', close);
    stream.on('error', close);
  }

  async #greet(session: AgentSession, hello: Hello): Promise<void> {
    const { system, joinToken, log } = this.#options;
    if (!isEqual(hello.joinToken, joinToken)) {
      log.warn('agent_refused', { node: hello.nodeName, reason: 'join token' });
      session.refuse({ type: 'refused', reason: 'the join token is not this cluster’s' });
      return;
    }
    if (hello.protocol !== AGENT_PROTOCOL) {
      const reason = `this coordinator speaks protocol ${AGENT_PROTOCOL}, the agent ${hello.protocol}`;
      session.refuse({ type: 'refused', reason });
      return;
    }
    if (!isName(hello.nodeName)) {
      const reason = `a node's name has 1 to ${NAME_CHARS_MAX} characters, none of them a control character`;
      session.refuse({ type: 'refused', reason });
      return;
    }
    const nodeId = await this.#options.ensureNode(hello.nodeName);
    const to = { kind: 'node', key: String(nodeId) };
    // Whoever hung up meanwhile is nobody's session: its end was told before it began.
    if (session.isEnded || this.#isMoved(session, nodeId)) return;
    session.nodeId = nodeId;
    this.#sessions.set(session.id, session);
    const asked = { type: 'hello', sessionId: session.id, hello: { ...hello, joinToken: '' } };
    const answer = (await system.ask(to, asked, { deadlineMs: HELLO_DEADLINE_MS })) as HelloAnswer;
    if (!answer.isAccepted) {
      session.refuse({ type: 'refused', reason: answer.reason });
      return;
    }
    log.info('agent_connected', { node: hello.nodeName, nodeId, agentVersion: hello.version });
    session.welcome({
      type: 'welcome',
      nodeId,
      sessionId: session.id,
      heartbeatMs: this.#options.heartbeatMs,
    });
  }

  /** Sends the agent to the owner of its node, if that is another coordinator. */
  #isMoved(session: AgentSession, nodeId: number): boolean {
    const owner = this.#options.system.ownerOf({ kind: 'node', key: String(nodeId) });
    if (owner === undefined || owner.id === this.#options.self || owner.grpcAddress === '') return false;
    session.refuse({ type: 'moved', address: owner.grpcAddress });
    return true;
  }

  /**
   * Everything an agent says but its hello. A message lost here is repeated by the agent until it is acknowledged. Its
   * node may go to another coordinator while it is connected: only the one that has it can answer it.
   */
  #pass(session: AgentSession, message: AgentMessage): void {
    if (session.nodeId === 0 || session.isEnded || this.#isMoved(session, session.nodeId)) return;
    const passed = nodeMessage(session.id, message);
    if (passed !== undefined)
      this.#options.system.tell({ kind: 'node', key: String(session.nodeId) }, passed);
  }

  #close(session: AgentSession): void {
    if (!this.#sessions.delete(session.id)) return;
    const message: AgentNodeMessage = { type: 'sessionEnded', sessionId: session.id };
    this.#options.system.tell({ kind: 'node', key: String(session.nodeId) }, message);
    this.#options.log.info('agent_disconnected', { nodeId: session.nodeId });
  }
}

function nodeMessage(sessionId: string, message: AgentMessage): AgentNodeMessage | undefined {
  switch (message.type) {
    case 'heartbeat':
      return { type: 'heard', sessionId };
    case 'offer':
      return { type: 'offer', sessionId, offer: message };
    case 'taskUpdate':
      return { type: 'taskUpdates', sessionId, updates: [message] };
    case 'ingestUpdate':
      return { type: 'ingestUpdates', sessionId, updates: [message] };
    case 'filesSeen':
      return { ...message, sessionId };
    case 'ingestProgress':
      return { type: 'ingestProgress', sessionId, ingests: message.ingests };
    case 'reachable':
      return { type: 'reachable', sessionId, workspaces: message.workspaces };
    case 'hello':
      return undefined;
  }
}

function isName(name: string): boolean {
  const isPlain = [...name].every((char) => char >= ' ' && char !== '\u007f' && char.isWellFormed());
  return name.length >= 1 && name.length <= NAME_CHARS_MAX && isPlain;
}

/** Compares without telling by its time how much was right. */
function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
