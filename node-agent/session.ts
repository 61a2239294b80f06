/**
 * The agent's connection to its node's owner: connects, sends the hello with all held work, passes messages to
 * `handlers`, and reconnects for ever with a growing, jittered pause. It is independent of tasks. No other file of the
 * agent uses gRPC sessions.
 */
import * as grpc from '@grpc/grpc-js';
import type {
  AgentMessage,
  ContentChunk,
  Hello,
  LogChunk,
  PathRequest,
  UploadReport,
} from '../src/domain/node/agent-messages.ts';
import type {
  CoordinatorMessage,
  Coordinators,
  Launch,
  Launches,
  LogAck,
  PathReservation,
  Refused,
  UploadPiece,
  Welcome,
} from '../src/domain/node/coordinator-messages.ts';
import { launchesOf } from '../src/domain/node/launches.ts';
import type { Logger } from '../src/observe/log.ts';
import { AGENT_MESSAGE_BYTES_MAX, AGENT_SERVICE } from '../src/wire/agent-service.ts';
import { type Clock, pause } from './clock.ts';
import type { Credentials } from './data/credentials.ts';
import type { KnownCoordinators } from './data/known-coordinators.ts';
import type { Spool } from './data/spool.ts';
import { Outbox } from './outbox.ts';

const BACKOFF_MS_MIN = 200;
/** Short, because work waits for the reconnect. A coordinator can handle this rate from all its agents. */
const BACKOFF_MS_MAX = 3_000;
/** The shortest pause after a refusal, which a retry alone does not resolve. */
const REFUSED_BACKOFF_MS_MIN = 5_000;
/** The time from connecting to the welcome. */
const WELCOME_MS_MAX = 10_000;
/** Updates that are not acknowledged within this time on a live session are sent again. */
const REPEAT_MS = 30_000;
/** How long ends of tasks are gathered into one message while other work waits for their room. */
const GATHER_MS = 10;

export type LogsCall = grpc.ClientDuplexStream<LogChunk, LogAck>;
export type UploadCall = grpc.ClientDuplexStream<UploadReport, UploadPiece>;
export type ContentCall = grpc.ClientWritableStream<ContentChunk>;

/** The time limit of a call to a coordinator. */
const ANSWER_MS_MAX = 15_000;

/** A welcomed session, until `closed` aborts. */
export interface LiveSession {
  readonly welcome: Welcome;
  readonly closed: AbortSignal;
  send(message: AgentMessage): void;
  openLogs(): LogsCall;
  /** `receiver`: another coordinator's address; '' is that of the session. */
  openContent(receiver: string, done: (error: Error | null) => void): Promise<ContentCall>;
  openUpload(receiver: string): Promise<UploadCall>;
  /** Rejects with the error of gRPC. The path may be reserved all the same, if only the answer was lost. */
  reservePath(request: PathRequest): Promise<PathReservation>;
}

export interface SessionHandlers {
  hello(): Hello;
  /** Why the agent cannot continue the session after this welcome; it then ends the session and sends a new hello. */
  restartReason(welcome: Welcome): string | undefined;
  welcomed(session: LiveSession): void;
  received(message: CoordinatorMessage): void;
}

export interface SessionOptions {
  /** Addresses of coordinators, `host:port` or `unix:/path`, tried in turn. */
  readonly coordinators: Pick<KnownCoordinators, 'addresses' | 'learn'>;
  readonly credentials: Credentials;
  readonly spool: Spool;
  readonly handlers: SessionHandlers;
  /** Whether ends of tasks are gathered for a moment: work waits here, so that no room stays empty meanwhile. */
  readonly gathers: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** 0 <= n < 1. */
  readonly random: () => number;
}

/** Calls of the gateway, typed by the codecs of their messages. */
class GatewayClient extends grpc.Client {
  session(): grpc.ClientDuplexStream<AgentMessage, CoordinatorMessage> {
    return this.#bothWays(AGENT_SERVICE.session);
  }

  logs(): LogsCall {
    return this.#bothWays(AGENT_SERVICE.logs);
  }

  upload(): UploadCall {
    return this.#bothWays(AGENT_SERVICE.upload);
  }

  content(done: (error: Error | null) => void): ContentCall {
    const { path, requestSerialize, responseDeserialize } = AGENT_SERVICE.content;
    return this.makeClientStreamRequest(path, requestSerialize, responseDeserialize, done);
  }

  reservePath(
    request: PathRequest,
    options: { readonly deadline: number },
    done: (error: grpc.ServiceError | null, answer?: PathReservation) => void,
  ): void {
    const { path, requestSerialize, responseDeserialize } = AGENT_SERVICE.reservePath;
    this.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, done);
  }

  #bothWays<Sent, Received>(method: grpc.MethodDefinition<Sent, Received>) {
    return this.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize);
  }
}

/** How one connection ended. */
interface Ended {
  readonly reason: string;
  readonly wasWelcomed: boolean;
  readonly movedTo?: string;
  readonly isRefused?: boolean;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #stopping = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #outbox: Outbox | undefined;
  #endSession: (reason: string) => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  start(): void {
    const { spool, gathers, clock } = this.#options;
    spool.onRecorded = () => {
      if (gathers()) this.#outbox?.pumpWithin(GATHER_MS, clock);
      else this.#outbox?.pumpSoon();
    };
    this.#done = this.#connectForEver();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  /** Ends the session, if there is one, so that the next hello reports changes. */
  reconnect(reason: string): void {
    this.#endSession(reason);
  }

  async #connectForEver(): Promise<void> {
    const { coordinators, clock, log, random } = this.#options;
    let failures = 0;
    let movedTo: string | undefined;
    while (!this.#stopping.signal.aborted) {
      const { addresses } = coordinators;
      const address = movedTo ?? (addresses[failures % addresses.length] as string);
      const ended = await this.#runConnection(address);
      if (this.#stopping.signal.aborted) return;
      // A `Moved` is followed at once; redirects between two coordinators are delayed like failures.
      const isFollowed = ended.movedTo !== undefined && movedTo === undefined;
      movedTo = ended.movedTo;
      failures = ended.wasWelcomed ? 0 : failures + 1;
      log.warn('session_ended', { address, reason: ended.reason, failures });
      if (isFollowed) continue;
      const floor = ended.isRefused === true ? REFUSED_BACKOFF_MS_MIN : BACKOFF_MS_MIN;
      const ceiling = Math.max(floor, Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures, 16)));
      await pause(clock, ceiling * (0.5 + random() / 2), this.#stopping.signal);
    }
  }

  #learn({ addresses }: Coordinators): void {
    const { coordinators, log } = this.#options;
    coordinators.learn(addresses).catch((error: unknown) => log.warn('coordinators_not_kept', { error }));
  }

  /** A coordinator's client: '' is that of the session. */
  async #peer(receiver: string, session: GatewayClient): Promise<GatewayClient> {
    if (receiver === '') return session;
    return connect(receiver, await this.#options.credentials.connecting(receiver));
  }

  /** Renews the certificate during the session. Never rejects. */
  async #renew(address: string, closed: AbortSignal): Promise<void> {
    const { clock, credentials } = this.#options;
    while (!closed.aborted) await pause(clock, await credentials.renew(address), closed);
  }

  /** Handles the launches of one message as if each had come alone. A message that cannot be read ends the session. */
  #launch(message: Launches, end: (ended: Pick<Ended, 'reason'>) => void): void {
    let launches: readonly Launch[];
    try {
      launches = launchesOf(message);
    } catch (error) {
      end({ reason: error instanceof Error ? error.message : String(error) });
      return;
    }
    for (const launch of launches) this.#options.handlers.received(launch);
  }

  /** One connection from beginning to end. Never rejects. */
  async #runConnection(address: string): Promise<Ended> {
    try {
      return await this.#talk(address, await this.#options.credentials.connecting(address));
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error), wasWelcomed: false };
    }
  }

  #live(client: GatewayClient, welcome: Welcome, outbox: Outbox, closed: AbortSignal): LiveSession {
    return {
      welcome,
      closed,
      send: (message) => outbox.send(message),
      openLogs: () => client.logs(),
      openContent: async (receiver, done) => {
        const peer = await this.#peer(receiver, client);
        return peer.content((error) => {
          if (peer !== client) peer.close();
          done(error);
        });
      },
      openUpload: async (receiver) => {
        const peer = await this.#peer(receiver, client);
        const upload = peer.upload();
        if (peer !== client) upload.on('status', () => peer.close());
        return upload;
      },
      reservePath: (request) => reservePath(client, request, this.#options.clock),
    };
  }

  #talk(address: string, credentials: grpc.ChannelCredentials): Promise<Ended> {
    const { handlers, clock, log, spool } = this.#options;
    const client = connect(address, credentials);
    const call = client.session();
    const closed = new AbortController();
    const outbox = new Outbox(call, spool);
    const cancels: (() => void)[] = [];
    return new Promise<Ended>((resolve) => {
      let wasWelcomed = false;
      const end = (ended: Omit<Ended, 'wasWelcomed'>): void => {
        if (closed.signal.aborted) return;
        closed.abort();
        outbox.close();
        if (this.#outbox === outbox) this.#outbox = undefined;
        for (const cancel of cancels) cancel();
        this.#stopping.signal.removeEventListener('abort', onStop);
        call.cancel();
        client.close();
        resolve({ ...ended, wasWelcomed });
      };
      const onStop = (): void => end({ reason: 'the agent stops' });
      this.#endSession = (reason) => end({ reason });
      this.#stopping.signal.addEventListener('abort', onStop);
      call.on('error', (error: grpc.ServiceError) => end({ reason: error.details || error.message }));
      call.on('end', () => end({ reason: 'closed by the coordinator' }));
      cancels.push(clock.after(WELCOME_MS_MAX, () => wasWelcomed || end({ reason: 'no welcome in time' })));
      const onWelcome = (welcome: Welcome): void => {
        const restartReason = handlers.restartReason(welcome);
        if (restartReason !== undefined) {
          end({ reason: restartReason });
          return;
        }
        wasWelcomed = true;
        log.info('session_opened', { address, nodeId: welcome.nodeId, sessionId: welcome.sessionId });
        this.#outbox = outbox;
        outbox.gather(welcome);
        beat(outbox, welcome.heartbeatMs, clock, closed.signal);
        every(REPEAT_MS, clock, closed.signal, () => outbox.repeat());
        void this.#renew(address, closed.signal);
        handlers.welcomed(this.#live(client, welcome, outbox, closed.signal));
        outbox.pump();
      };
      call.on('data', (message: CoordinatorMessage) => {
        if (closed.signal.aborted) return;
        if (message.type === 'welcome') onWelcome(message);
        else if (message.type === 'moved') end({ reason: 'the node has moved', movedTo: message.address });
        else if (message.type === 'coordinators') this.#learn(message);
        else if (message.type === 'refused') end(refusalEnd(message));
        else if (!wasWelcomed) return;
        else if (message.type === 'launches') this.#launch(message, end);
        else handlers.received(message);
      });
      call.write(handlers.hello());
    });
  }
}

function reservePath(client: GatewayClient, request: PathRequest, clock: Clock): Promise<PathReservation> {
  const { promise, resolve, reject } = Promise.withResolvers<PathReservation>();
  client.reservePath(request, { deadline: clock.nowMs() + ANSWER_MS_MAX }, (error, answer) => {
    if (answer === undefined) reject(error ?? new Error('no answer'));
    else resolve(answer);
  });
  return promise;
}

function refusalEnd({ reason }: Refused): Omit<Ended, 'wasWelcomed'> {
  return { reason: `refused: ${reason}`, isRefused: true };
}

function connect(address: string, credentials: grpc.ChannelCredentials): GatewayClient {
  return new GatewayClient(address, credentials, {
    'grpc.max_receive_message_length': AGENT_MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': AGENT_MESSAGE_BYTES_MAX,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
  });
}

/** Sends heartbeats, the first one at once: the coordinator needs the agent's clock to read the reports that follow. */
function beat(outbox: Outbox, everyMs: number, clock: Clock, closed: AbortSignal): void {
  let sequence = 0;
  if (everyMs <= 0) return;
  const say = (): void => {
    sequence += 1;
    outbox.send({ type: 'heartbeat', sequence, nowMs: clock.nowMs() });
  };
  say();
  every(everyMs, clock, closed, say);
}

/** Calls repeatedly until `closed` aborts. */
function every(periodMs: number, clock: Clock, closed: AbortSignal, call: () => void): void {
  const again = (): void => {
    if (closed.aborted) return;
    call();
    cancel = clock.after(periodMs, again);
  };
  let cancel = clock.after(periodMs, again);
  closed.addEventListener('abort', () => cancel());
}
