/**
 * What messages of agents cost a coordinator: every message of the contract, with each of its lists and texts in turn
 * made long. It counts steps, which do not depend on the machine, and limits them for each byte. The
 * messages are read from the description of the contract, so that a new one is tested at once.
 */
import type { DescMessage } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import type { AgentMessage, IngestUpdate, TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage } from '../../src/domain/node/coordinator-messages.ts';
import { AGENT_SERVICE } from '../../src/wire/agent-service.ts';
import { AGENT_MESSAGE_PARTS_MAX, agentMessageCodec } from '../../src/wire/codecs/agent.ts';
import * as pb from '../../src/wire/generated/node/v1/agent_pb.ts';
import { placesOf, withValue } from '../e2e/hostile/places.ts';
import { eventually } from '../support/agent/eventually.ts';
import { InterfaceClient } from '../support/clients/interface-client.ts';
import { countedTogether, type Work, WorkCounter } from '../support/work-counter.ts';
import { type GuardedService, guardedService, JOIN_TOKEN } from '../support/worlds/guarded-service.ts';
import { makeHello } from '../support/worlds/node-world.ts';

/** Blocks of code run, and characters and items that built-ins go through, for each byte of a message. */
const STEPS_PER_BYTE_MAX = 150;
/** The steps of any message, and of what the coordinator does by itself meanwhile. */
const STEPS_BASE = 300_000;
/** Items of a long list, and characters of a long text. */
const MANY = 3_000;
const LONG = 100_000;
/** Messages that are counted together, at most. */
const TOGETHER_MAX = 32;
/** More items than a coordinator accepts of any list: see HELD_MAX. */
const TOO_MANY = 110_000;

/** The service with its messages as bytes, so that they need not be valid. */
const SERVICE = Object.fromEntries(
  Object.entries(AGENT_SERVICE).map(([name, method]) => [
    name,
    { ...method, requestSerialize: (bytes: Buffer) => bytes },
  ]),
);
const Client = grpc.makeGenericClientConstructor(SERVICE as unknown as grpc.ServiceDefinition, 'Agent');

class HostileAgent {
  readonly heard: CoordinatorMessage[] = [];
  isEnded = false;
  readonly #session: grpc.ClientDuplexStream<Buffer, CoordinatorMessage>;
  #pings = 1_000_000;

  constructor(t: Test, address: string) {
    const options = { 'grpc.max_send_message_length': -1, 'grpc.use_local_subchannel_pool': 1 };
    const client = new Client(address, grpc.credentials.createInsecure(), options);
    t.teardown(() => client.close());
    this.#session = client.session?.() as never;
    this.#session.on('data', (message: CoordinatorMessage) => this.heard.push(message));
    for (const end of ['error', 'end']) {
      this.#session.on(end, () => {
        this.isEnded = true;
      });
    }
  }

  send(bytes: Buffer): void {
    this.#session.write(bytes);
  }

  say(message: AgentMessage): void {
    this.send(agentMessageCodec.encode(message));
  }

  last<T extends CoordinatorMessage['type']>(type: T): Extract<CoordinatorMessage, { type: T }> | undefined {
    return this.heard.findLast((one) => one.type === type) as never;
  }

  async answer<T extends CoordinatorMessage['type']>(
    type: T,
  ): Promise<Extract<CoordinatorMessage, { type: T }>> {
    await eventually(() => this.last(type) !== undefined || this.isEnded, `${type} from the coordinator`);
    return this.last(type) as never;
  }

  /** Resolves when the node's actor has handled all earlier messages, or the session has ended. */
  async worked(): Promise<void> {
    this.#pings += 1;
    const executionId = this.#pings;
    this.say({ type: 'filesSeen', executionId, owner: 'strike/1', batch: 1, files: [] });
    const isAnswered = () =>
      this.heard.some((one) => one.type === 'stopMonitor' && one.executionId === executionId);
    await eventually(() => isAnswered() || this.isEnded, 'all earlier messages are handled');
  }
}

function hello(over: Partial<ReturnType<typeof makeHello>> = {}) {
  return makeHello({ nodeName: 'guarded', joinToken: JOIN_TOKEN, executors: ['process:default'], ...over });
}

/** One of each message, with one item in each list, about work of this agent. */
type Samples = { readonly [T in AgentMessage['type']]: Extract<AgentMessage, { type: T }> };

/** An agent that was welcomed, reaches all workspaces, and has been given a task, a monitor and a listing. */
async function busyAgent(
  t: Test,
  service: GuardedService,
): Promise<{ agent: HostileAgent; samples: Samples }> {
  const agent = new HostileAgent(t, service.agentsAddress);
  agent.say(hello());
  await agent.answer('welcome');
  const { workspaces } = await agent.answer('checkWorkspaces');
  const reach = workspaces.map(({ uuid }) => {
    return { workspaceUuid: uuid, isReachable: true, isUnmarked: false, reason: 'because' };
  });
  agent.say({ type: 'reachable', workspaces: reach });
  const amounts = { cpus: 64, mem: 100_000, disk: 1_000_000 };
  const condition = { name: 'A', title: 'A', description: 'A' };
  const host = { resources: amounts, tasks: [{ type: 'cleanup', count: 1 }] };
  const offer = { type: 'offer', sequence: 1, resources: amounts, host } as const;
  agent.say({ ...offer, errors: [], warnings: [condition] });
  const { fileId, jobTypeId } = service.facts;
  const client = new InterfaceClient(service.url);
  await client.post('/v6/jobs/', { job_type_id: jobTypeId, input: { files: { INPUT_FILE: [fileId] } } });
  const launch = await agent.answer('launch');
  const monitor = await agent.answer('monitor');
  const rules = { files_to_ingest: [{ filename_regex: '.*' }] };
  const configuration = { workspace: service.facts.arrivals, scanner: { type: 'dir' }, ...rules };
  const { id: scanId } = await client.post<{ id: number }>('/v6/scans/', { title: 'Listed', configuration });
  await client.post(`/v6/scans/${scanId}/process/`, { ingest: false });
  const listing = await agent.answer('listFiles');
  const [uuid = ''] = workspaces.map((one) => one.uuid);
  const error = { name: 'unknown', isBuiltin: true, detail: 'because' };
  const footprint = { geometry: 'POINT (1 1)', centerPoint: 'POINT (1 1)', countries: ['DEU'] };
  const seen = { path: 'a.txt', size: 1, mtimeMs: 1, identity: 'a' };
  const { executionId, jobId, exeNum, owner } = launch;
  const about = { spoolId: 1, executionId, jobId, exeNum, owner };
  const ingest: Omit<IngestUpdate, 'type'> = {
    ...{ ...about, spoolId: 2, ingestId: 1, outcome: 'stored' as const, workspaceUuid: uuid, path: 'a.txt' },
    ...{ size: 1, sha256: 'a'.repeat(64), startedMs: 1, endedMs: 2, error },
  };
  const task: Omit<TaskUpdate, 'type'> = {
    ...{ ...about, outcome: 'COMPLETED', error, jsonOutputs: '{"BYTES":1}' },
    used: {
      ...{ source: 'cgroup', memoryBytes: 1, processorUs: 1, readBytes: 1, writtenBytes: 1, diskBytes: 1 },
    },
    imageDigest: `sha256:${'a'.repeat(64)}`,
    logCut: { stdout: 1, stderr: 1 },
    phases: [{ phase: 'main', startedMs: 1, endedMs: 2, exitCode: 0, timedOut: false }],
    outputs: [
      {
        ...{ output: 'CHECKSUM', workspaceUuid: uuid, path: 'p/a.txt', fileName: 'a.txt', size: 1 },
        ...{ mediaType: 'text/plain', sha256: 'a'.repeat(64), metadata: '{"a":1}', footprint },
      },
    ],
    parsedInputs: [{ input: 'INPUT_FILE', fileId: 1, metadata: '{"a":1}', footprint }],
  };
  const samples: Samples = {
    hello: hello({
      labels: { a: 'b' },
      executions: [{ executionId, phase: 'main', needsLaunch: false }],
      ...{ monitorExecutionIds: [monitor.executionId], ingestExecutionIds: [1], listingExecutionIds: [1] },
    }),
    offer: { ...offer, errors: [condition], warnings: [condition] },
    heartbeat: { type: 'heartbeat', sequence: 1 },
    filesFound: { type: 'filesFound', requestId: 'r', files: [seen], isLast: true, problem: 'because' },
    workspaceSeen: {
      ...{ type: 'workspaceSeen', requestId: 'r', isReachable: false, isUnmarked: false, reason: 'because' },
    },
    taskUpdate: { type: 'taskUpdate', ...task },
    taskUpdates: { type: 'taskUpdates', updates: [task] },
    filesSeen: {
      ...{ type: 'filesSeen', executionId: monitor.executionId, owner: monitor.owner, batch: 1 },
      files: [{ ...seen, arrival: 'complete', firstSeenMs: 1 }],
    },
    listingPage: {
      ...{ type: 'listingPage', executionId: listing.executionId, owner: listing.owner, sequence: 1 },
      ...{ after: '', through: 'a.txt', files: [seen], isLast: false, error },
    },
    ingestUpdate: { type: 'ingestUpdate', ...ingest },
    ingestUpdates: { type: 'ingestUpdates', updates: [ingest] },
    ingestProgress: { type: 'ingestProgress', ingests: [{ ingestId: 1, owner, bytesTransferred: 1 }] },
    reachable: { type: 'reachable', workspaces: reach },
    filesDeleted: {
      ...{ type: 'filesDeleted', requestId: 'a' },
      files: [{ path: 'a.txt', outcome: 'removed', reason: 'because', maySucceedLater: true }],
    },
  };
  return { agent, samples };
}

interface HostileMessage {
  readonly what: string;
  readonly bytes: Buffer;
}

/** The message with one thing in it many or long, a list or map first with many and then with too many. */
function* grown(sample: AgentMessage): Generator<HostileMessage> {
  const made = (what: string, keys: readonly (string | number)[], value: unknown): HostileMessage => {
    const message = withValue(sample, keys, value) as AgentMessage;
    return { what: `${sample.type}: ${what}`, bytes: agentMessageCodec.encode(message) };
  };
  for (const { keys, path, value } of placesOf(sample)) {
    if (path === 'type' || /(outcome|arrival|phase|source)$/.test(path)) continue;
    if (typeof value === 'string') {
      yield made(`${path}: a long text`, keys, 'a'.repeat(LONG));
      yield made(`${path}: long JSON`, keys, `[${'{},'.repeat(LONG / 3)}1]`);
      yield made(`${path}: deep JSON`, keys, '['.repeat(LONG));
    } else if (typeof value === 'number') {
      yield made(`${path}: a large number`, keys, 2 ** 31 - 1);
    }
    for (const many of [MANY, TOO_MANY]) {
      const [first] = Array.isArray(value) ? value : [];
      if (Array.isArray(value)) {
        yield made(`${path}: ${many} times the same`, keys, new Array(many).fill(first));
        const others = Array.from({ length: many }, (_, index) => renamed(first, index));
        yield made(`${path}: ${many} of them`, keys, others);
      } else if (typeof value === 'object' && value !== null && /(labels|resources)$/.test(path)) {
        const [one] = Object.values(value);
        const entries = Array.from({ length: many }, (_, index) => [`k${index}`, one]);
        yield made(`${path}: ${many} members`, keys, Object.fromEntries(entries));
      }
    }
  }
}

const NAMES: ReadonlySet<string> = new Set(['path', 'identity', 'name', 'workspaceUuid', 'fileName']);
const IDS: ReadonlySet<string> = new Set(['ingestId', 'executionId', 'spoolId', 'fileId']);

function renamed(value: unknown, index: number): unknown {
  if (typeof value === 'string') return `${value}${index}`;
  if (typeof value === 'number') return value + index;
  const changed: Record<string, unknown> = {};
  // Not by `Object.entries`, which is watched: of thousands of items that takes longer than all else here.
  for (const key in value as Record<string, unknown>) {
    const own = (value as Record<string, unknown>)[key];
    if (NAMES.has(key)) changed[key] = `${own}${index}`;
    else changed[key] = IDS.has(key) ? (own as number) + index : own;
  }
  return changed;
}

const CASES = pb.AgentMessageSchema.oneofs[0]?.fields ?? [];

t.test('message costs: every message of the contract has a sample with a value in each field', async (t) => {
  const calls = pb.AgentGateway.methods.map(({ localName }) => localName);
  t.same(
    calls.sort(),
    ['content', 'enrol', 'introduce', 'logs', 'reservePath', 'session', 'upload'],
    'every call is known here',
  );
  const service = await guardedService(t);
  const { samples } = await busyAgent(t, service);
  const look = (schema: DescMessage, value: unknown, path: string): void => {
    for (const field of schema.fields) {
      const at = `${path}.${field.localName}`;
      const own = (value as Record<string, unknown>)[field.localName];
      if (field.fieldKind === 'map') t.ok(Object.keys(own as object).length > 0, at);
      else if (field.fieldKind === 'list') {
        const [first] = own as unknown[];
        t.ok(first !== undefined, at);
        if (field.message !== undefined) look(field.message, first, at);
      } else if (field.message !== undefined && field.message.typeName !== pb.ResourcesSchema.typeName) {
        t.ok(own !== undefined, at);
        look(field.message, own, at);
      }
    }
  };
  for (const { localName, message } of CASES) {
    const sample = samples[localName as AgentMessage['type']];
    t.ok(sample !== undefined, localName);
    if (message !== undefined && sample !== undefined) look(message, sample, localName);
  }
});

/** How messages are sent. */
interface Way {
  /** Resolves when the coordinator has done all that follows from the message. */
  send(bytes: Buffer): Promise<unknown>;
  /** Whether the last message ended the session that the next would be sent in. */
  isOver(): boolean;
  /** Opens a session if the last is over. */
  renew(): Promise<void>;
}

class Costs {
  readonly #t: Test;
  readonly #counter: WorkCounter;

  constructor(t: Test, counter: WorkCounter) {
    this.#t = t;
    this.#counter = counter;
  }

  /**
   * Fails if a message costs too much. Counting takes longer than most messages do, so some of similar length are
   * counted together: if they cost no more than the shortest of them may, none is out of proportion. Otherwise each
   * half of them is sent again and counted.
   */
  async hold(messages: Iterable<HostileMessage>, way: Way): Promise<void> {
    const left = [...messages].sort((one, other) => one.bytes.length - other.bytes.length);
    let together = TOGETHER_MAX;
    while (left.length > 0) {
      await way.renew();
      const sent: HostileMessage[] = [];
      const cost = await this.#counter.countAll(async () => {
        for (const message of left.slice(0, together)) {
          sent.push(message);
          await way.send(message.bytes);
          if (way.isOver()) return;
        }
      });
      const [shortest] = sent;
      if (shortest === undefined) throw new Error('nothing was sent');
      if (isTooMuch(cost, shortest.bytes) && sent.length > 1) {
        together = Math.ceil(sent.length / 2);
        continue;
      }
      left.splice(0, sent.length);
      if (isTooMuch(cost, shortest.bytes)) await this.#holdAlone(shortest, way);
      const each = (cost.blocks + cost.touched) / sent.length;
      together = countedTogether(each, stepsMaxOf(shortest.bytes), TOGETHER_MAX);
    }
  }

  async #holdAlone({ what, bytes }: HostileMessage, way: Way): Promise<void> {
    const count = async (): Promise<Work> => {
      await way.renew();
      return this.#counter.countAll(() => way.send(bytes));
    };
    let cost = await count();
    // Work for an earlier message may have been delayed by the database until now. The same message again has only its
    // own cost.
    if (isTooMuch(cost, bytes)) cost = await count();
    if (!isTooMuch(cost, bytes)) return;
    const { blocks, touched, most } = cost;
    this.#t.fail(
      `${what} (${bytes.length} bytes): ${blocks} blocks, ${touched} touched, most in ${most.join('; ')}`,
    );
  }
}

function isTooMuch({ blocks, touched }: Work, bytes: Buffer): boolean {
  return blocks + touched > stepsMaxOf(bytes);
}

function stepsMaxOf(bytes: Buffer): number {
  return STEPS_BASE + bytes.length * STEPS_PER_BYTE_MAX;
}

t.test('message costs: each message of an agent costs at most 150 steps a byte', async (t) => {
  const counter = await WorkCounter.start();
  t.teardown(() => counter.stop());
  const service = await guardedService(t);
  const costs = new Costs(t, counter);
  let { agent, samples } = await busyAgent(t, service);
  const inSession: Way = {
    send(bytes) {
      agent.send(bytes);
      return agent.worked();
    },
    isOver: () => agent.isEnded,
    async renew() {
      if (agent.isEnded) ({ agent, samples } = await busyAgent(t, service));
    },
  };
  for (const { localName } of CASES) {
    const type = localName as AgentMessage['type'];
    if (type === 'hello') continue;
    await costs.hold(grown(samples[type]), inSession);
    t.pass(type);
  }
  const asFirst: Way = {
    send(bytes) {
      agent = new HostileAgent(t, service.agentsAddress);
      agent.send(bytes);
      return agent.answer('welcome');
    },
    isOver: () => false,
    renew: async () => undefined,
  };
  await costs.hold(grown(samples.hello), asFirst);
  const logged = new Set(service.logged.map(({ event }) => event));
  t.ok(logged.has('agent_message_refused'), 'what is refused is logged');
  t.ok(logged.has('agent_message_cut'), 'and what is cut');
});

t.test('message costs: a message with too many parts ends its session before it is decoded', async (t) => {
  const counter = await WorkCounter.start();
  t.teardown(() => counter.stop());
  const service = await guardedService(t);
  const ids = new Array(AGENT_MESSAGE_PARTS_MAX + 1).fill(1);
  const bytes = agentMessageCodec.encode(hello({ monitorExecutionIds: ids }));
  const agent = new HostileAgent(t, service.agentsAddress);
  const { blocks } = await counter.countAll(async () => {
    agent.send(bytes);
    await eventually(() => agent.isEnded, 'the end of the session');
  });
  t.ok(blocks < bytes.length * 10 + STEPS_BASE, `${blocks} blocks`);
  t.match(service.logged, [
    { event: 'agent_message_unreadable', fields: { call: 'session', reason: /too many parts/ } },
  ]);
});
