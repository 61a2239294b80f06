/**
 * The gRPC server for agents: passes messages from streams to node actors, and messages from node actors to streams. It
 * authenticates agents (by join token or certificate) and redirects them to the coordinator that owns their node; it
 * decides nothing else.
 */
import { timingSafeEqual } from 'node:crypto';
import { type MethodDefinition, Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
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
import { type PathReserver, reservePaths } from './paths.ts';
import { AgentSession, type AgentStream } from './session.ts';
import { callerNode, type GatewayTls, tlsCredentials } from './tls.ts';
import { sendUploads, type UploadRequests } from './uploads.ts';

export interface GatewayLog {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
}

export interface GatewayOptions {
  /** `host:port` or `unix:<path>`. */
  readonly listen: string;
  readonly joinToken: string;
  /** Absent: connections are neither encrypted nor authenticated by certificates. */
  readonly tls?: GatewayTls;
  /** This coordinator's id. */
  readonly self: string;
  readonly system: Pick<System, 'ask' | 'tell' | 'ownerOf' | 'coordinators'>;
  /** The id of the node with this host name; a new name gets a new node. */
  readonly ensureNode: (hostname: string) => Promise<number>;
  /** Stores pieces of logs, idempotent by offset; throws when they could not be stored. */
  readonly saveLogs: (chunks: readonly LogChunk[]) => Promise<void>;
  /** Decides whether a product may have a path that does not name its execution. */
  readonly reservePath: PathReserver['reservePath'];
  readonly contents: ContentRequests;
  readonly uploads: UploadRequests;
  /** Serves other coordinators as well. Absent: only agents. */
  readonly bus?: CoordinatorBus;
  readonly newSessionId: () => string;
  /** The database's clock: times that agents report are converted to it. */
  readonly nowMs: () => number;
  /** How often agents send a heartbeat. */
  readonly heartbeatMs: number;
  /** Default LISTENER_LIMITS. */
  readonly limits?: ListenerLimits;
  readonly log: GatewayLog;
}

export interface AgentGateway {
  /** The address in use, with the chosen port if 0 was configured. */
  readonly address: string;
  /** Number of connected agents. */
  readonly sessionCount: number;
  send(sessionId: string, messages: readonly CoordinatorMessage[]): void;
  dropSession(sessionId: string): void;
  /** Ends all sessions. The agents keep running their tasks and look for another coordinator. */
  stop(): Promise<void>;
}

const HELLO_DEADLINE_MS = 15_000;
const NAME_CHARS_MAX = 250;
/** How often agents get the coordinators' addresses, if these have changed. */
const COORDINATORS_EVERY_MS = 2_000;
/** How often connections of deactivated nodes are closed. */
const REVOKED_EVERY_MS = 15_000;
const KEEPALIVE = {
  'grpc.max_receive_message_length': AGENT_MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': AGENT_MESSAGE_BYTES_MAX,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // limit: per connection. An agent has one for its session, one for logs and one for each file being transferred.
  'grpc.max_concurrent_streams': 1_000,
};

/** The part of a call that identifies its origin. */
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
  #addressTimer: NodeJS.Timeout | undefined;
  #sentAddresses = '';

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { saveLogs, reservePath, contents, uploads, log, tls, joinToken } = options;
    const isToken = (token: string): boolean => isEqual(token, joinToken);
    this.#listener = new AgentListener(options.limits ?? LISTENER_LIMITS, log);
    const isKnown = (token: string, call: Peer): boolean => {
      const isOurs = tls === undefined ? isToken(token) : callerNode(call) !== undefined;
      if (isOurs) this.#listener.know(call.getPeer());
      return isOurs;
    };
    const enrolment: EnrolmentOptions = { tls, joinToken, isToken, isName, log };
    this.#server.addService(loggingUnreadable(AGENT_SERVICE, log), {
      session: (stream: AgentStream) => this.#open(stream),
      logs: receiveLogs({ isKnown, saveLogs, log }),
      content: receiveContent({ isKnown, contents }),
      upload: sendUploads({ isKnown, uploads }),
      reservePath: reservePaths({ isKnown, reservePath, log }),
      introduce: introduce(enrolment),
      enrol: enrol(enrolment),
    });
    const know = (peer: string): void => this.#listener.know(peer);
    if (options.bus !== undefined) {
      this.#server.addService(BUS_SERVICE, options.bus.handlers(know));
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
    this.#addressTimer = setInterval(() => this.#sendAddresses(), COORDINATORS_EVERY_MS);
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
    clearInterval(this.#addressTimer);
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
        this.#onHello(session, message, stream).catch((error: unknown) => {
          this.#options.log.warn('agent_hello_failed', { node: message.nodeName, error: String(error) });
          session.end();
        });
      } else close();
    });
    stream.on('end', close);
    stream.on('cancelled', close);
    stream.on('error', close);
  }

  async #onHello(session: AgentSession, hello: Hello, stream: AgentStream): Promise<void> {
    const { system, log } = this.#options;
    const reason = await this.#whyRefused(hello, stream);
    if (reason !== undefined) {
      log.warn('agent_refused', { node: hello.nodeName.slice(0, NAME_CHARS_MAX), reason });
      session.refuse({ type: 'refused', reason });
      return;
    }
    this.#listener.know(stream.getPeer());
    const nodeId = await this.#options.ensureNode(hello.nodeName);
    // The agent has disconnected before its session began.
    if (session.isEnded || this.#isMoved(session, nodeId)) return;
    session.nodeId = nodeId;
    session.nodeName = hello.nodeName;
    session.takesLaunches = hello.takesLaunches;
    this.#sessions.set(session.id, session);
    const helloMessage = {
      type: 'hello',
      sessionId: session.id,
      hello: { ...hello, joinToken: '' },
    } as const;
    const answer = await system.ask(nodeAddress(nodeId), helloMessage, { deadlineMs: HELLO_DEADLINE_MS });
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
      takesTaskUpdates: true,
      comparesBoots: answer.comparesBoots === true,
    });
    session.send([this.#coordinators()]);
  }

  #coordinators(): Coordinators {
    const addresses = this.#options.system.coordinators().map((one) => one.grpcAddress);
    return { type: 'coordinators', addresses: addresses.filter((address) => address !== '').sort() };
  }

  /** Sends the coordinators' addresses to agents, which connect to another one when this coordinator ends. */
  #sendAddresses(): void {
    if (this.#sessions.size === 0) return;
    const message = this.#coordinators();
    const addresses = message.addresses.join();
    if (addresses === this.#sentAddresses) return;
    this.#sentAddresses = addresses;
    for (const session of this.#sessions.values()) session.send([message]);
  }

  /** Why the agent may not connect, according to its hello and certificate; undefined if it may. */
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

  /** A certificate is valid only while its node is active; sessions of other nodes are ended. */
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
      this.#options.log.warn('revoked_nodes_unknown', { error: String(error) }); // retried after a while
    }
  }

  /** Redirects the agent to the owner of its node, if that is another coordinator. */
  #isMoved(session: AgentSession, nodeId: number): boolean {
    const owner = this.#options.system.ownerOf({ kind: 'node', key: String(nodeId) });
    if (owner === undefined || owner.id === this.#options.self || owner.grpcAddress === '') return false;
    session.refuse({ type: 'moved', address: owner.grpcAddress });
    return true;
  }

  /**
   * Handles every message of an agent except its hello. The agent repeats lost messages until they are acknowledged. If
   * its node has moved to another coordinator, the agent is redirected, because only that one can answer.
   */
  #pass(session: AgentSession, reports: GatheredReports, message: AgentMessage): void {
    if (session.nodeId === 0 || session.isEnded || this.#isMoved(session, session.nodeId)) return;
    const limited = limitedMessage(message);
    const problem = 'refused' in limited ? limited.refused : limited.cut;
    if (problem !== undefined && session.isFirstProblem(message.type)) {
      const event = 'refused' in limited ? 'agent_message_refused' : 'agent_message_cut';
      this.#options.log.warn(event, { node: session.nodeName, type: message.type, reason: problem });
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

/** The service, with a log line for each message that it could not read, which also ends the call. */
function loggingUnreadable(service: ServiceDefinition, log: GatewayLog): ServiceDefinition {
  const logged = Object.entries<MethodDefinition<unknown, unknown>>(service).map(([name, method]) => {
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

/** The message for the node's actor; undefined for hellos and reports. */
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
    case 'taskUpdate':
    case 'taskUpdates':
    case 'ingestUpdate':
    case 'ingestUpdates':
      return undefined;
  }
}

function isName(name: string): boolean {
  if (name.length < 1 || name.length > NAME_CHARS_MAX) return false;
  return [...name].every((char) => char >= ' ' && char !== '\u007f' && char.isWellFormed());
}

/** Compares in constant time. */
function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
