/**
 * The coordinator's side of the agent contract over real gRPC on a unix socket: records the messages of agents, and
 * sends the test's.
 */
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import type {
  AgentMessage,
  ContentChunk,
  Hello,
  IngestUpdate,
  LogChunk,
  TaskUpdate,
} from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage, LogAck } from '../../../src/domain/node/coordinator-messages.ts';
import { reportsOf } from '../../../src/domain/node/reports.ts';
import { AGENT_MESSAGE_BYTES_MAX, AGENT_SERVICE } from '../../../src/wire/agent-service.ts';
import { eventually } from './eventually.ts';

type SessionCall = grpc.ServerDuplexStream<AgentMessage, CoordinatorMessage>;

export interface FakeCoordinatorOptions {
  /** Whether each update and each batch of files is acknowledged when it arrives. */
  readonly isAcking?: boolean;
  readonly onReceived?: (message: AgentMessage) => void;
  /** The answer to a hello instead of a Welcome. */
  readonly answerHello?: (hello: Hello) => CoordinatorMessage | undefined;
}

export class FakeCoordinator {
  readonly address: string;
  readonly received: AgentMessage[] = [];
  readonly hellos: Hello[] = [];
  readonly content = new Map<
    string,
    { text: string; error: string; isMissing: boolean; totalSize: number; fileSize: number }
  >();
  readonly logs = new Map<string, Buffer>();
  readonly logTokens: string[] = [];
  isAcking: boolean;
  /** The number of ends of ingests in each message; `received` has one message for each of them. */
  readonly ingestCounts: number[] = [];
  #answerHello: FakeCoordinatorOptions['answerHello'];
  #onReceived: FakeCoordinatorOptions['onReceived'];
  #server: grpc.Server;
  #calls = new Set<SessionCall>();

  private constructor(address: string, server: grpc.Server, options: FakeCoordinatorOptions) {
    this.address = address;
    this.#server = server;
    this.isAcking = options.isAcking ?? true;
    this.#answerHello = options.answerHello;
    this.#onReceived = options.onReceived;
  }

  static async start(folder: string, options: FakeCoordinatorOptions = {}): Promise<FakeCoordinator> {
    const server = new grpc.Server({ 'grpc.max_receive_message_length': AGENT_MESSAGE_BYTES_MAX });
    const fake = new FakeCoordinator(`unix:${join(folder, 'grpc.sock')}`, server, options);
    server.addService(AGENT_SERVICE as unknown as grpc.ServiceDefinition, {
      session: (call: SessionCall) => fake.#session(call),
      logs: (call: grpc.ServerDuplexStream<LogChunk, LogAck>) => fake.#logs(call),
      content: (call: grpc.ServerReadableStream<ContentChunk, object>, done: grpc.sendUnaryData<object>) =>
        fake.#content(call, done),
    });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(fake.address, grpc.ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      );
    });
    return fake;
  }

  send(message: CoordinatorMessage): void {
    for (const call of this.#calls) call.write(message);
  }

  /** Ends the sessions; agents reconnect. */
  hangUp(): void {
    for (const call of [...this.#calls]) {
      call.emit('error', Object.assign(new Error('hung up'), { code: grpc.status.UNAVAILABLE }));
    }
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  connected(count = 1): Promise<unknown> {
    return eventually(() => this.hellos.length >= count, `${count} sessions`);
  }

  updatesOf(executionId: number): TaskUpdate[] {
    return this.received.filter(
      (message): message is TaskUpdate =>
        message.type === 'taskUpdate' && message.executionId === executionId,
    );
  }

  /** The first update of an execution. */
  async update(executionId: number): Promise<TaskUpdate> {
    await eventually(() => this.updatesOf(executionId).length > 0, `an update of execution ${executionId}`);
    return this.updatesOf(executionId)[0] as TaskUpdate;
  }

  ingestUpdates(): IngestUpdate[] {
    return this.received.filter((message): message is IngestUpdate => message.type === 'ingestUpdate');
  }

  log(executionId: number, stream = 'stdout'): string {
    return (this.logs.get(`${executionId}/${stream}`) ?? Buffer.alloc(0)).toString();
  }

  #session(call: SessionCall): void {
    this.#calls.add(call);
    const gone = (): void => {
      this.#calls.delete(call);
    };
    call.on('error', gone);
    call.on('end', gone);
    call.on('cancelled', gone);
    const take = (message: AgentMessage): void => {
      this.received.push(message);
      this.#onReceived?.(message);
      if (message.type === 'hello') {
        this.hellos.push(message);
        const welcome = {
          type: 'welcome',
          nodeId: 1,
          sessionId: `s${this.hellos.length}`,
          heartbeatMs: 200,
          takesIngestUpdates: true,
          takesTaskUpdates: true,
          comparesBoots: true,
        } as const;
        call.write(this.#answerHello?.(message) ?? welcome);
      }
      const isUpdate = message.type === 'taskUpdate' || message.type === 'ingestUpdate';
      if (isUpdate && this.isAcking)
        call.write({ type: 'ack', spoolIds: [message.spoolId], discardExecutionIds: [] });
      if (message.type === 'filesSeen' && this.isAcking) {
        call.write({ type: 'filesAck', executionId: message.executionId, batch: message.batch });
      }
    };
    call.on('data', (message: AgentMessage) => {
      const reports = reportsOf(message);
      if (reports[0]?.type === 'ingestUpdate') this.ingestCounts.push(reports.length);
      for (const one of reports.length === 0 ? [message] : reports) take(one);
    });
  }

  #logs(call: grpc.ServerDuplexStream<LogChunk, LogAck>): void {
    call.on('error', () => undefined);
    call.on('data', ({ executionId, stream, offset, content, joinToken }: LogChunk) => {
      if (joinToken !== '') this.logTokens.push(joinToken);
      const key = `${executionId}/${stream}`;
      const known = this.logs.get(key) ?? Buffer.alloc(0);
      // Repeats and overlaps are ignored. A gap would be a defect, and remains visible.
      if (offset + content.length > known.length && offset <= known.length) {
        this.logs.set(key, Buffer.concat([known.subarray(0, offset), content]));
      }
      call.write({ executionId, stream, offset: (this.logs.get(key) ?? known).length });
    });
    call.on('end', () => call.end());
  }

  #content(call: grpc.ServerReadableStream<ContentChunk, object>, done: grpc.sendUnaryData<object>): void {
    let requestId = '';
    const got = { text: '', error: '', isMissing: false, totalSize: 0, fileSize: 0 };
    call.on('data', (chunk: ContentChunk) => {
      requestId ||= chunk.requestId;
      got.text += Buffer.from(chunk.content).toString();
      got.error ||= chunk.error;
      got.isMissing ||= chunk.isMissing === true;
      got.totalSize ||= chunk.totalSize;
      got.fileSize ||= chunk.fileSize ?? 0;
    });
    call.on('error', () => undefined);
    call.on('end', () => {
      this.content.set(requestId, got);
      done(null, {});
    });
  }
}
