/**
 * The agent's process on a host, as the protocol knows it: its session, what it holds, what it is told. How long
 * things take and what goes wrong is drawn from the seed.
 */
import { Outbox } from '../../../node-agent/outbox.ts';
import type { AgentMessage, Hello } from '../../../src/domain/node/agent-messages.ts';
import { AGENT_PROTOCOL } from '../../../src/domain/node/agent-messages.ts';
import type {
  CheckWorkspaces,
  CoordinatorMessage,
  Welcome,
} from '../../../src/domain/node/coordinator-messages.ts';
import { launchesOf } from '../../../src/domain/node/launches.ts';
import { NO_MARKER } from '../../../src/domain/workspace/unmarked.ts';
import type { Cables } from '../cables.ts';
import type { AgentStream } from '../coordinator/gateway.ts';
import { EXECUTOR } from '../scenario.ts';
import type { Seeded } from '../seeded.ts';
import { SimProcess } from '../sim-process.ts';
import { deleteFiles } from './deletions.ts';
import type { OnRun, SimHost, Spooled } from './host.ts';
import { IngestWork } from './ingest-work.ts';
import { Listings } from './listings.ts';
import { TaskWork } from './task-work.ts';
import { Watches } from './watches.ts';

const REPEAT_MS = 30_000;
const REFRESH_MS = 10_000;
const WELCOME_MS_MAX = 10_000;
const BACKOFF_MS_MIN = 200;
const BACKOFF_MS_MAX = 3_000;
const REFUSED_MS = 5_000;
const FORGET_MS = 30;

export interface AgentAround {
  readonly cables: Cables;
  /** What listens at an address now. */
  readonly dial: (process: SimProcess, address: string) => AgentStream | undefined;
  readonly addresses: readonly string[];
  readonly began: (executionId: number) => void;
  readonly ran?: OnRun | undefined;
  readonly waited?: ((how: 'waited' | 'given back') => void) | undefined;
  /** Files of a listing's page. */
  readonly pageSizeMax: number;
  /** It is of a version that knows `Launches`. */
  readonly takesLaunches: boolean;
  /** It is of a version that names the host's boot. */
  readonly namesBoot: boolean;
}

interface Live {
  readonly stream: AgentStream;
  isWelcomed: boolean;
  isClosed: boolean;
  readonly outbox: Outbox;
  readonly cancels: (() => void)[];
}

export class SimAgent {
  readonly host: SimHost;
  readonly process: SimProcess;
  readonly random: Seeded;
  readonly tasks: TaskWork;
  readonly ingests: IngestWork;
  readonly watches: Watches;
  readonly listings: Listings;
  readonly #around: AgentAround;
  #live: Live | undefined;
  #failures = 0;
  #asked: CheckWorkspaces = { type: 'checkWorkspaces', workspaces: [], claimUuids: [] };
  #told = '';
  /** Not told any more, and still on the disk. */
  readonly #acked = new Set<number>();
  #offers = 0;

  constructor(host: SimHost, around: AgentAround) {
    this.host = host;
    this.#around = around;
    this.random = host.random;
    this.process = new SimProcess(around.cables.time, `host-${host.nodeId}`, host.wall);
    const parts = { host, process: this.process, faultRates: () => around.cables.faultRates };
    const recorded = () => this.#pump();
    const forWork = { ...parts, recorded, began: around.began };
    const lets = { letsWait: around.takesLaunches, ran: around.ran, waited: around.waited };
    this.tasks = new TaskWork({ ...forWork, ...lets });
    this.ingests = new IngestWork(forWork);
    this.watches = new Watches({
      ...parts,
      send: (message) => this.#say(message),
      isConnected: () => this.isConnected,
    });
    const { pageSizeMax } = around;
    this.listings = new Listings({ ...parts, pageSizeMax, send: (message) => this.#say(message) });
  }

  start(): void {
    // One of an earlier version follows one that was stopped in order: that one has synced what it left.
    if (!this.#around.namesBoot) this.host.sync();
    this.tasks.resume();
    this.ingests.resume();
    this.#refresh();
    this.#connect(this.random.int(0, this.#around.addresses.length - 1));
  }

  get agentId(): string {
    const { agentId, otherAgentId } = this.host;
    return this.#around.namesBoot ? (otherAgentId ?? agentId) : agentId;
  }

  get isConnected(): boolean {
    return this.#live?.isWelcomed === true && !this.#live.isClosed;
  }

  /** Gives to jobs what the host has now. */
  offer(): void {
    const { resources, errors } = this.host;
    const conditions = errors.map((name) => ({ name, title: name, description: name }));
    this.#offers += 1;
    const sequence = this.#offers;
    this.#say({ type: 'offer', sequence, resources: { ...resources }, errors: conditions, warnings: [] });
  }

  #connect(at: number, address?: string): void {
    const { addresses, dial } = this.#around;
    const to = address ?? (addresses[at % addresses.length] as string);
    const stream = dial(this.process, to);
    if (stream === undefined) {
      this.#again(at + 1, BACKOFF_MS_MIN);
      return;
    }
    const live: Live = {
      stream,
      isWelcomed: false,
      isClosed: false,
      outbox: this.#outboxOf(stream),
      cancels: [],
    };
    this.#live = live;
    const end = (floorMs: number, movedTo?: string) => {
      if (live.isClosed) return;
      live.isClosed = true;
      for (const cancel of live.cancels) cancel();
      live.outbox.close();
      this.watches.sessionChanged();
      if (live.isWelcomed) this.#failures = 0;
      else this.#failures += 1;
      // One that was followed is paced like a failure: two may point at each other.
      if (movedTo !== undefined && address === undefined) this.#connect(at, movedTo);
      else this.#again(at + 1, floorMs);
    };
    stream.onAnswer(
      (message) =>
        this.#received(live, message, (floorMs, movedTo) => {
          stream.hangUp();
          end(floorMs, movedTo);
        }),
      () => end(BACKOFF_MS_MIN),
    );
    live.cancels.push(
      this.process.timer(WELCOME_MS_MAX, () => {
        if (live.isWelcomed || live.isClosed) return;
        stream.hangUp();
        end(BACKOFF_MS_MIN);
      }),
    );
    stream.call(this.#hello());
  }

  #again(at: number, floorMs: number): void {
    const ceiling = Math.max(
      floorMs,
      Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#failures, 8)),
    );
    this.process.timer(ceiling * (0.5 + this.random.next() / 2), () => this.#connect(at));
  }

  #hello(): Hello {
    return {
      ...{
        type: 'hello',
        protocol: AGENT_PROTOCOL,
        nodeName: `host-${this.host.nodeId}`,
        agentId: this.agentId,
      },
      ...{
        version: '0',
        joinToken: '',
        labels: {},
        resources: { ...this.host.resources },
        executors: [EXECUTOR],
      },
      executions: this.tasks.holds(),
      monitorExecutionIds: this.watches.holds(),
      ingestExecutionIds: this.ingests.holds(),
      listingExecutionIds: this.listings.holds(),
      takesLaunches: this.#around.takesLaunches,
      bootId: this.#around.namesBoot ? this.host.bootId : '',
      takesWorkAhead: this.#around.takesLaunches,
    };
  }

  #received(live: Live, message: CoordinatorMessage, end: (floorMs: number, movedTo?: string) => void): void {
    if (live.isClosed) return;
    if (message.type === 'welcome') {
      if (!this.#around.namesBoot || this.tasks.welcomed(message.comparesBoots))
        this.#welcomed(live, message);
      else end(BACKOFF_MS_MIN);
    } else if (message.type === 'moved') end(BACKOFF_MS_MIN, message.address);
    else if (message.type === 'refused') end(REFUSED_MS);
    else if (live.isWelcomed) this.#obey(message);
  }

  #welcomed(live: Live, welcome: Welcome): void {
    live.isWelcomed = true;
    live.outbox.gather(welcome);
    this.tasks.connected();
    let sequence = 0;
    const beat = (): void => {
      sequence += 1;
      this.#say({ type: 'heartbeat', sequence, nowMs: this.process.nowMs() });
    };
    beat();
    this.#every(live, welcome.heartbeatMs, beat);
    this.#every(live, REPEAT_MS, () => live.outbox.repeat());
    this.offer();
    this.watches.sessionChanged();
    this.listings.connected();
    this.#pump();
  }

  #every(live: Live, periodMs: number, run: () => void): void {
    const again = (): void => {
      if (live.isClosed) return;
      run();
      this.process.timer(periodMs, again);
    };
    this.process.timer(periodMs, again);
  }

  #obey(message: CoordinatorMessage): void {
    switch (message.type) {
      case 'launch':
        this.tasks.launch(message);
        return;
      case 'launches':
        // Versions that don't know it skip it.
        if (this.#around.takesLaunches) for (const launch of launchesOf(message)) this.tasks.launch(launch);
        return;
      case 'kill':
        this.tasks.kill(message.executionId);
        this.ingests.cancel(message.executionId);
        return;
      case 'ack':
        this.#acknowledged(message.spoolIds, new Set(message.discardExecutionIds));
        return;
      case 'ingest':
        this.ingests.accept(message.items);
        return;
      case 'monitor':
        this.watches.begin(message);
        return;
      case 'stopMonitor':
        this.watches.end(message.executionId);
        return;
      case 'filesAck':
        this.watches.acknowledged(message.executionId, message.batch);
        return;
      case 'listFiles':
        this.listings.begin(message);
        return;
      case 'stopListing':
        this.listings.end(message.executionId);
        return;
      case 'listingAck':
        this.listings.acknowledged(message);
        return;
      case 'deleteFiles':
        this.process.timer(1 + this.random.next() * 50, () => this.#say(deleteFiles(this.host, message)));
        return;
      case 'checkWorkspaces':
        this.#asked = message;
        this.#told = '';
        this.process.timer(1 + this.random.next() * 20, () => this.#look(new Set(message.claimUuids)));
        return;
      default:
        return;
    }
  }

  #acknowledged(spoolIds: readonly number[], discarded: ReadonlySet<number>): void {
    for (const id of spoolIds) {
      const update = this.host.spool.get(id);
      if (update === undefined || this.#acked.has(id)) continue;
      this.#acked.add(id);
      const isDiscarded = update.type === 'taskUpdate' && discarded.has(update.executionId);
      if (isDiscarded) this.tasks.discard(update);
      // Its next life tells what this one has not forgotten when it dies.
      this.process.timer(FORGET_MS, () => this.#forget(id, update));
    }
  }

  #forget(id: number, update: Spooled): void {
    this.#acked.delete(id);
    if (update.type === 'taskUpdate') this.tasks.acknowledged(update.executionId);
    else this.ingests.acknowledged(update.executionId);
    this.host.spool.delete(id);
    this.host.recorded(() => this.host.spool.set(id, update));
  }

  #refresh(): void {
    this.process.timer(REFRESH_MS, () => {
      this.offer();
      this.#look(new Set());
      this.#refresh();
    });
  }

  #look(claims: ReadonlySet<string>): void {
    const { mounts, unmarkable, disks } = this.host;
    const workspaces = this.#asked.workspaces.map(({ uuid: workspaceUuid }) => {
      const directory = disks.directory(workspaceUuid);
      const isMounted = mounts.has(workspaceUuid);
      const mayMark = !unmarkable.has(workspaceUuid);
      if (isMounted && mayMark && claims.has(workspaceUuid)) directory.isMarked = true;
      const isReachable = isMounted && directory.isMarked;
      const unmarked = mayMark ? NO_MARKER : 'it cannot be marked';
      const reason = isReachable ? '' : isMounted ? unmarked : 'not mounted';
      return { workspaceUuid, isReachable, isUnmarked: isMounted && !directory.isMarked, reason };
    });
    const told = JSON.stringify(workspaces);
    // What changes while nobody hears it is found by who asks on the next session.
    if (told === this.#told) return;
    this.#told = told;
    this.#say({ type: 'reachable', workspaces });
  }

  /** Reads the spool as the real one does; a stream is never full. */
  #outboxOf(stream: AgentStream): Outbox {
    const write = (message: AgentMessage): boolean => {
      stream.call(message);
      return true;
    };
    const after = (spoolId: number) => {
      for (const [id, update] of this.host.spool) if (id > spoolId && !this.#acked.has(id)) return update;
      return undefined;
    };
    return new Outbox({ write, once: () => undefined }, { after });
  }

  /** Sends what of the spool was not sent over this session. */
  #pump(): void {
    if (this.isConnected) this.#live?.outbox.pump();
  }

  #say(message: AgentMessage): void {
    const live = this.#live;
    if (this.isConnected) live?.stream.call(message);
  }
}
