/**
 * The gRPC server for agents: streams become messages to node actors, and what node actors send becomes messages on
 * streams. Knows who may speak (the join token, or a certificate) and which coordinator owns a node; decides nothing
 * else.
 */
import { timingSafeEqual } from 'node:crypto';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type AgentNodeMessage, nodeAddress } from '../actors/node/node.messages.ts';
import {
  AGENT_PROTOCOL,
  type AgentMessage,
  type Hello,
  type LogChunk,
} from '../domain/node/agent-messages.ts';
import type { CoordinatorMessage, Coordinators } from '../domain/node/coordinator-messages.ts';
import { limitedMessage } from '../domain/node/message-limits.ts';
import type { System } from '../kernel/mod.ts';
import { AGENT_MESSAGE_BYTES_MAX, AGENT_SERVICE } from '../wire/agent-service.ts';
import { BUS_SERVICE } from '../wire/bus-service.ts';
import { type ContentRequests, receiveContent } from './content.ts';
import type { CoordinatorBus } from './coordinator-bus.ts';
import { type EnrolmentOptions, enrol, introduce } from './enrolment.ts';
import { GatheredReports } from './gathered-reports.ts';
import { AgentListener, LISTENER_LIMITS, type ListenerLimits } from './listener.ts';
import { receiveLogs } from './logs.ts';
import { AgentSession, type AgentStream } from './session.ts';
import { callerNode, type GatewayTls, tlsCredentials } from './tls.ts';

export interface GatewayLog {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
}

export interface GatewayOptions {
  /** `host:port` or `unix:<path>`. */
  readonly listen: string;
  readonly joinToken: string;
  /** Absent: connections are neither encrypted nor certified. */
  readonly tls?: GatewayTls;
  /** Id of this coordinator. */
  readonly self: string;
  readonly system: Pick<System, 'ask' | 'tell' | 'ownerOf' | 'coordinators'>;
  /** The node of a host name: its id, made when the name is new. */
  readonly ensureNode: (hostname: string) => Promise<number>;
  /** Keeps pieces of logs, idempotent by offset; throws when they could not be kept. */
  readonly saveLogs: (chunks: readonly LogChunk[]) => Promise<void>;
  readonly contents: ContentRequests;
  /** Other coordinators call here as well. Absent: only agents do. */
  readonly bus?: CoordinatorBus;
  readonly newSessionId: () => string;
  /** The database's clock: what agents report is set to it. */
  readonly nowMs: () => number;
  /** How often agents say that they are there. */
  readonly heartbeatMs: number;
  /** Default LISTENER_LIMITS. */
  readonly limits?: ListenerLimits;
  readonly log: GatewayLog;
}

export interface AgentGateway {
  /** The address in use: a port that was 0 is known now. */
  readonly address: string;
  /** Agents that are connected. */
  readonly sessionCount: number;
  send(sessionId: string, messages: readonly CoordinatorMessage[]): void;
  dropSession(sessionId: string): void;
  /** Ends all sessions; agents go on with what they run and look for another coordinator. */
  stop(): Promise<void>;
}

const HELLO_DEADLINE_MS = 15_000;
const NAME_CHARS_MAX = 250;
/** So often agents are told where coordinators are, if that has changed. */
const COORDINATORS_EVERY_MS = 2_000;
/** So often those are hung up on whose nodes were deactivated meanwhile. */
const REVOKED_EVERY_MS = 15_000;
const KEEPALIVE = {
  'grpc.max_receive_message_length': AGENT_MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': AGENT_MESSAGE_BYTES_MAX,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // limit: of one connection; an agent has one for its session, one for logs and one for each file on its way.
  'grpc.max_concurrent_streams': 1_000,
};

/** A call, as far as it is asked where it comes from. */
interface Peer {
  getPeer(): string;
}

export async function startGateway(options: GatewayOptions): Promise<AgentGateway> {
  const gateway = new Gateway(options);
  await gateway.listen();
  return gateway;
}

class Gateway implements AgentGateway {
  address = '';
  readonly #options: GatewayOptions;
  readonly #server = new Server(KEEPALIVE);
  readonly #listener: AgentListener;
  readonly #sessions = new Map<string, AgentSession>();
  readonly #revoking: NodeJS.Timeout | undefined;
  #telling: NodeJS.Timeout | undefined;
  #told = '';

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { saveLogs, contents, log, tls, joinToken } = options;
    const isToken = (token: string): boolean => isEqual(token, joinToken);
    this.#listener = new AgentListener(options.limits ?? LISTENER_LIMITS, log);
    const isKnown = (token: string, call: Peer): boolean => {
      const isOurs = tls === undefined ? isToken(token) : callerNode(call) !== undefined;
      if (isOurs) this.#listener.know(call.getPeer());
      return isOurs;
    };
    const enrolment: EnrolmentOptions = { tls, joinToken, isToken, isName, log };
    this.#server.addService(heard(AGENT_SERVICE, log) as never, {
      session: (stream: AgentStream) => this.#open(stream),
      logs: receiveLogs({ isKnown, saveLogs, log }),
      content: receiveContent({ isKnown, contents }),
      introduce: introduce(enrolment),
      enrol: enrol(enrolment),
    });
    const know = (peer: string): void => this.#listener.know(peer);
    if (options.bus !== undefined) {
      this.#server.addService(BUS_SERVICE as never, options.bus.handlers(know));
    }
    if (tls !== undefined) this.#revoking = setInterval(() => this.#dropRevoked(tls), REVOKED_EVERY_MS);
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<void> {
    const { listen, tls } = this.#options;
    const credentials = tls === undefined ? ServerCredentials.createInsecure() : tlsCredentials(tls);
    const port = await this.#listener.listen(listen, this.#server, credentials);
    this.#telling = setInterval(() => this.#tellCoordinators(), COORDINATORS_EVERY_MS);
    this.address = listen.startsWith('unix:') ? listen : listen.replace(/:\d+$/, `:${port}`);
  }

  send(sessionId: string, messages: readonly CoordinatorMessage[]): void {
    this.#sessions.get(sessionId)?.send(messages);
  }

  dropSession(sessionId: string): void {
    this.#sessions.get(sessionId)?.end();
  }

  async stop(): Promise<void> {
    clearInterval(this.#revoking);
    clearInterval(this.#telling);
    for (const session of this.#sessions.values()) session.end();
    this.#sessions.clear();
    this.#server.forceShutdown();
    this.#listener.close();
  }

  #open(stream: AgentStream): void {
    const session = new AgentSession(this.#options.newSessionId(), stream);
    const reports = new GatheredReports(session.id, (message) => this.#tell(session, message));
    let isFirst = true;
    const deadline = setTimeout(() => session.end(), HELLO_DEADLINE_MS);
    const close = (): void => {
      clearTimeout(deadline);
      reports.flush();
      session.end();
      this.#close(session);
    };
    stream.on('data', (message: AgentMessage) => {
      if (!isFirst) this.#pass(session, reports, message);
      else if (message.type === 'hello') {
        isFirst = false;
        clearTimeout(deadline);
        this.#greet(session, message, stream).catch((error: unknown) => {
          this.#options.log.warn('agent_hello_failed', { node: message.nodeName, error: String(error) });
          session.end();
        });
      } else close();
    });
    stream.on('end', close);
    stream.on('cancelled', close);
    stream.on('error', close);
  }

  async #greet(session: AgentSession, hello: Hello, stream: AgentStream): Promise<void> {
    const { system, log } = this.#options;
    const reason = await this.#whyRefused(hello, stream);
    if (reason !== undefined) {
      log.warn('agent_refused', { node: hello.nodeName.slice(0, NAME_CHARS_MAX), reason });
      session.refuse({ type: 'refused', reason });
      return;
    }
    this.#listener.know(stream.getPeer());
    const nodeId = await this.#options.ensureNode(hello.nodeName);
    // Whoever hung up meanwhile is nobody's session: its end was told before it began.
    if (session.isEnded || this.#isMoved(session, nodeId)) return;
    session.nodeId = nodeId;
    session.nodeName = hello.nodeName;
    this.#sessions.set(session.id, session);
    const asked = { type: 'hello', sessionId: session.id, hello: { ...hello, joinToken: '' } } as const;
    const answer = await system.ask(nodeAddress(nodeId), asked, { deadlineMs: HELLO_DEADLINE_MS });
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
      takesIngestUpdates: true,
    });
    session.send([this.#coordinators()]);
  }

  #coordinators(): Coordinators {
    const addresses = this.#options.system.coordinators().map((one) => one.grpcAddress);
    return { type: 'coordinators', addresses: addresses.filter((address) => address !== '').sort() };
  }

  /** An agent needs to know where to go when this coordinator is gone. */
  #tellCoordinators(): void {
    if (this.#sessions.size === 0) return;
    const message = this.#coordinators();
    const told = message.addresses.join();
    if (told === this.#told) return;
    this.#told = told;
    for (const session of this.#sessions.values()) session.send([message]);
  }

  /** Who greets, and with what right. */
  async #whyRefused(hello: Hello, stream: AgentStream): Promise<string | undefined> {
    const { tls, joinToken } = this.#options;
    if (tls === undefined && !isEqual(hello.joinToken, joinToken)) {
      return 'the join token is not this cluster’s';
    }
    if (hello.protocol !== AGENT_PROTOCOL) {
      return `this coordinator speaks protocol ${AGENT_PROTOCOL}, the agent ${hello.protocol}`;
    }
    if (!isName(hello.nodeName)) {
      return `a node's name has 1 to ${NAME_CHARS_MAX} characters, none of them a control character`;
    }
    const limited = limitedMessage(hello);
    if ('refused' in limited) return limited.refused;
    if (tls === undefined) return undefined;
    const certified = callerNode(stream);
    if (certified === undefined) return 'it has shown no certificate of this cluster';
    if (certified !== hello.nodeName) return `its certificate is that of node '${certified}'`;
    const isRevoked = (await tls.revoked([hello.nodeName])).length > 0;
    return isRevoked ? 'the node was deactivated' : undefined;
  }

  /** A certificate is good for as long as its node is active; those of others end with their sessions. */
  async #dropRevoked(tls: GatewayTls): Promise<void> {
    const sessions = [...this.#sessions.values()];
    if (sessions.length === 0) return;
    try {
      const names = new Set(await tls.revoked(sessions.map((session) => session.nodeName)));
      const reason = 'the node was deactivated';
      for (const session of sessions) {
        if (names.has(session.nodeName)) session.refuse({ type: 'refused', reason });
      }
    } catch (error) {
      this.#options.log.warn('revoked_nodes_unknown', { error: String(error) }); // asked again in a while
    }
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
  #pass(session: AgentSession, reports: GatheredReports, message: AgentMessage): void {
    if (session.nodeId === 0 || session.isEnded || this.#isMoved(session, session.nodeId)) return;
    const limited = limitedMessage(message);
    const doubt = 'refused' in limited ? limited.refused : limited.cut;
    if (doubt !== undefined && session.isFirstDoubt(message.type)) {
      const event = 'refused' in limited ? 'agent_message_refused' : 'agent_message_cut';
      this.#options.log.warn(event, { node: session.nodeName, type: message.type, reason: doubt });
    }
    if ('refused' in limited) return;
    const nowMs = this.#options.nowMs();
    if (message.type === 'heartbeat') session.clock.learn(message.nowMs, nowMs);
    const translated = session.clock.translated(limited.message, nowMs);
    if (reports.take(translated)) return;
    const passed = nodeMessage(session.id, translated);
    if (passed !== undefined) this.#tell(session, passed);
  }

  #tell({ nodeId }: AgentSession, message: AgentNodeMessage): void {
    this.#options.system.tell(nodeAddress(nodeId), message);
  }

  #close(session: AgentSession): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#tell(session, { type: 'sessionEnded', sessionId: session.id });
    this.#options.log.info('agent_disconnected', { nodeId: session.nodeId });
  }
}

/** The service, which logs what it could not read: its call ends with that. */
function heard(service: typeof AGENT_SERVICE, log: GatewayLog): object {
  const logged = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      try {
        return method.requestDeserialize(bytes);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn('agent_message_unreadable', { call: name, bytes: bytes.length, reason });
        throw error;
      }
    };
    return [name, { ...method, requestDeserialize }];
  });
  return Object.fromEntries(logged);
}

/** The message for the node's actor, from what is neither a hello nor a report; undefined for these. */
function nodeMessage(sessionId: string, message: AgentMessage): AgentNodeMessage | undefined {
  switch (message.type) {
    case 'heartbeat':
      return { type: 'heard', sessionId };
    case 'offer':
      return { type: 'offer', sessionId, offer: message };
    case 'filesSeen':
      return { ...message, sessionId };
    case 'filesDeleted':
      return { type: 'filesDeleted', sessionId, answer: message };
    case 'workspaceSeen':
      return { type: 'workspaceSeen', sessionId, answer: message };
    case 'listingPage':
      return { type: 'listingPage', sessionId, page: message };
    case 'ingestProgress':
      return { type: 'ingestProgress', sessionId, ingests: message.ingests };
    case 'reachable':
      return { type: 'reachable', sessionId, workspaces: message.workspaces };
    case 'hello':
    case 'taskUpdate':
    case 'ingestUpdate':
    case 'ingestUpdates':
      return undefined;
  }
}

function isName(name: string): boolean {
  if (name.length < 1 || name.length > NAME_CHARS_MAX) return false;
  return [...name].every((char) => char >= ' ' && char !== '\u007f' && char.isWellFormed());
}

/** Compares without telling by its time how much was right. */
function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
