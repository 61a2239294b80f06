/** The real gateway on a unix socket, with a simulated kernel; agents are plain gRPC clients. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import type { AgentMessage, ContentChunk, LogChunk } from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage, LogAck } from '../../../src/domain/node/coordinator-messages.ts';
import type { Address, AnyMessage, CoordinatorInfo } from '../../../src/kernel/mod.ts';
import { type AgentGateway, type GatewayOptions, startGateway } from '../../../src/rpc/agent-gateway.ts';
import { ContentRequests } from '../../../src/rpc/content.ts';
import { UploadRequests } from '../../../src/rpc/uploads.ts';
import { AGENT_SERVICE } from '../../../src/wire/agent-service.ts';
import { eventually } from '../agent/eventually.ts';
import { makeHello } from './node-world.ts';

export const TOKEN = 'let-me-in';
export const SELF = 'c1';

type Sent = { readonly to: Address; readonly message: AnyMessage };
type Session = grpc.ClientDuplexStream<AgentMessage, CoordinatorMessage>;
interface Client extends grpc.Client {
  session(): Session;
  logs(): grpc.ClientDuplexStream<LogChunk, LogAck>;
  content(done: (error: grpc.ServiceError | null) => void): grpc.ClientWritableStream<ContentChunk>;
}
const ClientOf = grpc.makeGenericClientConstructor(
  AGENT_SERVICE as unknown as grpc.ServiceDefinition,
  'Agent',
);

interface Test {
  teardown(call: () => unknown): void;
}

/** The agent's side of one session. */
export class FakeAgent {
  readonly heard: CoordinatorMessage[] = [];
  readonly session: Session;
  isEnded = false;

  constructor(session: Session) {
    this.session = session;
    session.on('data', (message: CoordinatorMessage) => this.heard.push(message));
    session.on('error', () => {
      this.isEnded = true;
    });
    session.on('end', () => {
      this.isEnded = true;
    });
  }

  say(message: AgentMessage): void {
    this.session.write(message);
  }

  hello(over: Partial<ReturnType<typeof makeHello>> = {}): void {
    this.say(makeHello({ joinToken: TOKEN, ...over }));
  }

  async answer(type: CoordinatorMessage['type']): Promise<CoordinatorMessage | undefined> {
    await eventually(() => this.heard.some((one) => one.type === type) || this.isEnded, `${type}, or an end`);
    return this.heard.find((one) => one.type === type);
  }

  ended(): Promise<void> {
    return eventually(() => this.isEnded, 'the session ends');
  }
}

/** An agent on a session with the gateway at this address. */
export function dialAgent(t: Test, address: string): FakeAgent {
  const client = clientOf(address);
  t.teardown(() => client.close());
  return new FakeAgent(client.session());
}

function clientOf(address: string): Client {
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  return new ClientOf(address, grpc.credentials.createInsecure(), options) as unknown as Client;
}

export class GatewayWorld {
  readonly asked: Sent[] = [];
  readonly told: Sent[] = [];
  readonly names: string[] = [];
  readonly logged: { readonly event: string; readonly fields: Record<string, unknown> | undefined }[] = [];
  readonly contents = new ContentRequests();
  readonly uploads = new UploadRequests();
  /** The database's clock. */
  nowMs = 1_000_000;
  owner: CoordinatorInfo | undefined;
  coordinators: readonly CoordinatorInfo[] = [];
  /** Tests replace these to simulate failures. */
  answerHello: () => Promise<unknown> = async () => ({ isAccepted: true });
  ensureNode: () => Promise<number> = async () => 5;
  saveLogs: (chunks: readonly LogChunk[]) => Promise<void> = async () => undefined;
  reservePath: GatewayOptions['reservePath'] = async () => ({
    ...{ verdict: 'reserved', reason: '', isOwnFile: false },
  });
  gateway!: AgentGateway;
  readonly #clients: Client[] = [];
  #sessions = 0;

  static async start(
    t: Test,
    over: Partial<Pick<GatewayOptions, 'listen' | 'limits'>> = {},
  ): Promise<GatewayWorld> {
    const world = new GatewayWorld();
    const folder = mkdtempSync(join(tmpdir(), 'millrace-rpc-'));
    const write = (event: string, fields?: Record<string, unknown>) =>
      void world.logged.push({ event, fields });
    world.gateway = await startGateway({
      listen: `unix:${join(folder, 's')}`,
      joinToken: TOKEN,
      self: SELF,
      system: {
        ask: (to, message) => {
          world.asked.push({ to, message } as Sent);
          return world.answerHello() as Promise<never>;
        },
        tell: (to, message) => void world.told.push({ to, message } as Sent),
        ownerOf: () => world.owner,
        coordinators: () => world.coordinators,
      },
      ensureNode: (name) => {
        world.names.push(name);
        return world.ensureNode();
      },
      saveLogs: (chunks) => world.saveLogs(chunks),
      reservePath: (request) => world.reservePath(request),
      contents: world.contents,
      uploads: world.uploads,
      newSessionId: () => `s${++world.#sessions}`,
      nowMs: () => world.nowMs,
      heartbeatMs: 2_000,
      log: { info: write, warn: write },
      ...over,
    });
    t.teardown(async () => {
      for (const client of world.#clients) client.close();
      await world.gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    return world;
  }

  client(): Client {
    const client = clientOf(this.gateway.address);
    this.#clients.push(client);
    return client;
  }

  agent(): FakeAgent {
    return new FakeAgent(this.client().session());
  }

  /** An agent that has got its welcome. */
  async welcomed(): Promise<FakeAgent> {
    const agent = this.agent();
    agent.hello();
    if ((await agent.answer('welcome')) === undefined) throw new Error('not welcomed');
    return agent;
  }

  types(): string[] {
    return this.told.map((one) => one.message.type);
  }
}
