/**
 * Puts the node-agent together: its parts, its incoming and its outgoing messages. The parts are independent of each
 * other. Stopping the agent does not stop tasks: the next start finds running tasks again.
 */
import { hostname } from 'node:os';
import { AGENT_PROTOCOL, type AgentMessage, type Hello } from '../src/domain/node/agent-messages.ts';
import type { Ack, CoordinatorMessage, Launch, SendFile } from '../src/domain/node/coordinator-messages.ts';
import { diskFullCause, whenDiskHasRoom } from '../src/lib/disk-space.ts';
import type { Logger, LogLevel } from '../src/observe/log.ts';
import { type Clock, pause } from './clock.ts';
import type { AgentConfig } from './config.ts';
import { sendFile } from './content.ts';
import { type Credentials, PLAIN, TlsCredentials } from './data/credentials.ts';
import { type DataFolder, openDataFolder } from './data/data-folder.ts';
import { Journal } from './data/journal.ts';
import { KnownCoordinators } from './data/known-coordinators.ts';
import { MarkedPlaces } from './data/marked-places.ts';
import { Spool } from './data/spool.ts';
import { Deletions } from './deletions.ts';
import type { Executor } from './executor/executor.ts';
import { readBootId } from './executor/proc.ts';
import { openSlots } from './executor/process/open-slots.ts';
import type { TaskSlots } from './executor/process/task-slots.ts';
import { Spawner } from './executor/spawner/spawner.ts';
import { chooseExecutor, createExecutors, offeredByConfiguration, offeredExecutors } from './executors.ts';
import { countGpus } from './fingerprint/gpu.ts';
import { Ingests } from './ingests.ts';
import { Listings } from './listings.ts';
import { shipLogs } from './logs/log-shipper.ts';
import { TaskLogs } from './logs/task-logs.ts';
import { Monitors } from './monitors.ts';
import { Offers } from './offers.ts';
import { Reach } from './reach.ts';
import { type LiveSession, Session } from './session.ts';
import { LaunchRecords } from './task/launch-records.ts';
import { pathAsker } from './task/own-paths.ts';
import { TaskRunner } from './task/runner.ts';
import { TaskFolders } from './task/task-folders.ts';
import { Uploads } from './uploads.ts';
import { Workspaces } from './workspaces.ts';

const REFRESH_MS = 10_000;
const DRAIN_LOOK_MS = 200;

export interface AgentOptions {
  readonly config: AgentConfig;
  readonly log: Logger;
  readonly clock: Clock;
  /** 0 <= n < 1. */
  readonly random: () => number;
  /** Ends a start that is waiting. */
  readonly stopping?: AbortSignal;
}

export interface Agent {
  readonly nodeName: string;
  /** Resolves with the first session. */
  readonly welcomed: Promise<void>;
  /** `drain`: accepts no more tasks and waits for the running ones; without it they continue without the agent. */
  stop(options?: { readonly drain?: boolean }): Promise<void>;
}

/**
 * Throws AppError DATA_DIR_IN_USE if another agent has the folder. On a full disk, a first start waits for space; later
 * ones need none, because their files already have their space.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { config, log, clock, stopping: signal } = options;
  const room = { what: 'the data folder of the agent', folder: config.folder, log, signal };
  const folder = await whenDiskHasRoom(room, () => openDataFolder(config.folder, log, config.workFolder));
  try {
    const agent = await whenDiskHasRoom(room, () => NodeAgent.create(options, folder));
    await agent.start();
    return {
      nodeName: config.nodeName || hostname(),
      welcomed: agent.firstSession.promise,
      stop: ({ drain = false } = {}) => agent.stop(drain, clock),
    };
  } catch (error) {
    await folder.release();
    throw error;
  }
}

interface Parts {
  readonly folder: DataFolder;
  readonly coordinators: KnownCoordinators;
  readonly journal: Journal;
  readonly spool: Spool;
  readonly offers: Offers;
  readonly slots: TaskSlots;
  readonly spawner: Spawner;
  readonly workspaces: Workspaces;
  readonly deletions: Deletions;
  readonly logs: TaskLogs;
  readonly runner: TaskRunner;
  readonly ingests: Ingests;
  readonly monitors: Monitors;
  readonly listings: Listings;
  readonly reach: Reach;
  readonly uploads: Uploads;
  readonly executorNames: string[];
  /** Executors that will be tested when the disk has space. */
  untried: readonly Executor[];
}

class NodeAgent {
  readonly #options: AgentOptions;
  readonly #parts: Parts;
  readonly #session: Session;
  readonly #stopping = new AbortController();
  readonly firstSession = Promise.withResolvers<void>();
  #live: LiveSession | undefined;

  private constructor(options: AgentOptions, parts: Parts) {
    const { clock, log, random } = options;
    this.#options = options;
    this.#parts = parts;
    this.#session = new Session({
      coordinators: parts.coordinators,
      credentials: credentialsOf(options, parts.folder),
      spool: parts.spool,
      clock,
      log,
      random,
      gathers: () => parts.runner.waitingCount > 0,
      handlers: {
        hello: () => this.#hello(),
        restartReason: (welcome) => parts.runner.launches.welcomed(welcome),
        welcomed: (session) => this.#welcomed(session),
        received: (message) => this.#received(message),
      },
    });
  }

  static async create(options: AgentOptions, folder: DataFolder): Promise<NodeAgent> {
    const { config, log, clock } = options;
    const offers = new Offers(folder.executions, offeredByConfiguration(config));
    const journal = await Journal.open({
      path: folder.journal,
      log,
      clock,
      onTrouble: (reason) => offers.raise('SPOOL', reason),
    });
    const spool = new Spool(journal);
    const coordinators = await KnownCoordinators.open(folder.coordinators, config.addresses, log);
    const workspaces = workspacesOf(config, folder);
    const logs = new TaskLogs(log);
    const spawner = new Spawner(log);
    const slots = await openSlots({ folder, users: config.taskUsers, spawner, log });
    const { agentId, executions: workFolder } = folder;
    const gpuCount = config.resources.gpus ?? (await countGpus());
    const hosts = { config, slots, spawner, agentId, workFolder, images: folder.images, gpuCount };
    const executors = await createExecutors({ ...hosts, clock, log });
    const { names, untried, refusal } = await offeredExecutors(executors, workFolder, log);
    const executorNames = [...names];
    offers.warn('NO_EXECUTOR', refusal);
    const launches = new LaunchRecords({ journal, agentId, bootId: await readBootId(), log });
    const shared = { journal, spool, workspaces, clock, log };
    const choose = (launch: Launch) => chooseExecutor(launch, executorNames, config.containers.network);
    const onTrouble = (description: string | undefined): void => offers.warn('LEFTOVERS', description);
    const folders = new TaskFolders({ folder: workFolder, clock, log, onTrouble });
    let live: () => LiveSession | undefined = () => undefined;
    const paths = pathAsker({ session: () => live(), joinToken: config.joinToken, clock });
    const forTasks = {
      offered: () => offers.resources,
      folder: workFolder,
      folders,
      paths,
      executors,
      choose,
      logs,
      launches,
    };
    const runner = new TaskRunner({ ...shared, ...forTasks });
    const ingests = new Ingests({
      ...shared,
      onProgress: (progress) => live()?.send({ type: 'ingestProgress', ingests: progress }),
    });
    const monitors = new Monitors(workspaces, log);
    const listings = new Listings(workspaces, log);
    const agent = new NodeAgent(options, {
      folder,
      coordinators,
      journal,
      spool,
      offers,
      slots,
      spawner,
      workspaces,
      deletions: new Deletions(workspaces, clock),
      logs,
      runner,
      ingests,
      monitors,
      listings,
      reach: new Reach(workspaces, await MarkedPlaces.open(folder.places)),
      uploads: new Uploads({ ...shared, folder: folder.uploads, joinToken: config.joinToken }),
      executorNames,
      untried,
    });
    live = () => agent.#live;
    return agent;
  }

  async start(): Promise<void> {
    const { offers, runner, ingests, reach, monitors } = this.#parts;
    await offers.measure();
    await runner.resume();
    ingests.resume();
    offers.onChange = () => this.#live?.send(offers.next());
    reach.onReach = (workspaces) => this.#live?.send({ type: 'reachable', workspaces });
    monitors.onReach = () => this.#soon('reach', reach.refresh());
    this.#refreshForEver();
    this.#session.start();
  }

  async stop(drain: boolean, clock: Clock): Promise<void> {
    const { runner, offers, ingests, monitors, listings, journal } = this.#parts;
    const { slots, spawner, folder, spool, workspaces } = this.#parts;
    if (drain) {
      runner.drain();
      offers.drain();
      while (runner.activeCount > 0 || spool.size > 0) await pause(clock, DRAIN_LOOK_MS);
    }
    this.#stopping.abort();
    await this.#session.stop();
    await monitors.stop();
    listings.stop();
    await Promise.all([runner.stop(), ingests.stop()]);
    await spawner.close();
    await journal.close();
    await slots.close();
    await workspaces.close();
    await folder.release();
  }

  #hello(): Hello {
    const { config } = this.#options;
    const { offers, executorNames, runner, monitors, listings, ingests } = this.#parts;
    return {
      type: 'hello',
      protocol: AGENT_PROTOCOL,
      nodeName: config.nodeName || hostname(),
      agentId: runner.launches.agentId,
      version: config.version,
      joinToken: config.joinToken,
      labels: config.labels,
      resources: offers.resources,
      executors: executorNames,
      executions: runner.holds(),
      monitorExecutionIds: monitors.holds(),
      ingestExecutionIds: ingests.holds(),
      listingExecutionIds: listings.holds(),
      takesLaunches: true,
      bootId: runner.launches.bootId,
      takesWorkAhead: true,
    };
  }

  #welcomed(session: LiveSession): void {
    const { config, clock, log } = this.#options;
    const { runner, offers, monitors, listings, logs } = this.#parts;
    this.#live = session;
    this.firstSession.resolve();
    runner.connected();
    session.closed.addEventListener('abort', () => {
      if (this.#live === session) this.#live = undefined;
    });
    session.send(offers.next());
    monitors.connected(session);
    listings.connected(session);
    const nodeName = config.nodeName || hostname();
    this.#soon('logs', shipLogs(session, { logs, clock, log, joinToken: config.joinToken, nodeName }));
  }

  /** Handles each message of the coordinator. Welcome, Moved and Refused are handled by the session. */
  #received(message: CoordinatorMessage): void {
    const { runner, ingests, monitors, listings, reach, offers, deletions, uploads } = this.#parts;
    const { log } = this.#options;
    const { type } = message;
    if (type === 'launch') runner.launch(message);
    else if (type === 'ack') this.#soon(type, this.#acknowledged(message));
    else if (type === 'ingest') this.#soon(type, ingests.accept(message));
    else if (type === 'monitor') this.#soon(type, monitors.begin(message));
    else if (type === 'stopMonitor') this.#soon(type, monitors.end(message.executionId));
    else if (type === 'filesAck') monitors.acknowledged(message);
    else if (type === 'listFiles') this.#soon(type, listings.begin(message));
    else if (type === 'stopListing') listings.end(message.executionId);
    else if (type === 'listingAck') listings.acknowledged(message);
    else if (type === 'checkWorkspaces') this.#soon(type, reach.ask(message));
    else if (type === 'sendFile') this.#soon(type, this.#sendFile(message));
    else if (type === 'receiveFile') this.#soon(type, uploads.receive(this.#live, message));
    else if (type === 'deleteFiles') this.#soon(type, this.#answer(deletions.remove(message)));
    else if (type === 'findFiles') this.#soon(type, this.#answer(listings.find(message)));
    else if (type === 'lookAtWorkspace') this.#soon(type, this.#answer(reach.lookAt(message)));
    else if (type === 'configure') log.setLevel(toLogLevel(message.loggingLevel) ?? log.level);
    else if (type === 'kill') {
      runner.kill(message.executionId);
      ingests.cancel(message.executionId);
    } else if (type === 'drain') {
      runner.drain();
      offers.drain();
    }
  }

  async #answer(work: Promise<AgentMessage>): Promise<void> {
    const answer = await work;
    this.#live?.send(answer);
  }

  async #sendFile(request: SendFile): Promise<void> {
    const { config, log } = this.#options;
    if (this.#live === undefined) return;
    await sendFile(this.#live, request, {
      workspaces: this.#parts.workspaces,
      joinToken: config.joinToken,
      log,
    });
  }

  async #acknowledged({ spoolIds, discardExecutionIds }: Ack): Promise<void> {
    const { spool, runner, ingests } = this.#parts;
    const updates = spool.acknowledge(spoolIds);
    ingests.acknowledged(updates);
    await runner.acknowledged(updates, new Set(discardExecutionIds));
  }

  /** Checks at intervals for changes that cause no message. */
  #refreshForEver(): void {
    const { offers, reach, uploads } = this.#parts;
    const again = async (): Promise<void> => {
      while (!this.#stopping.signal.aborted) {
        await pause(this.#options.clock, REFRESH_MS, this.#stopping.signal);
        if (this.#stopping.signal.aborted) return;
        await offers.refresh(this.#parts.runner.work());
        await this.#tryExecutors();
        await reach.refresh();
        await uploads.sweep();
      }
    };
    this.#soon('refresh', again());
  }

  /** Tests executors that a full disk has kept from being tested; the next hello offers them. */
  async #tryExecutors(): Promise<void> {
    const parts = this.#parts;
    if (parts.untried.length === 0 || diskFullCause('', parts.folder.executions) !== undefined) return;
    const { log } = this.#options;
    const { names, untried } = await offeredExecutors(parts.untried, parts.folder.executions, log);
    parts.untried = untried;
    if (names.length === 0) return;
    parts.offers.warn('NO_EXECUTOR', undefined);
    parts.executorNames.push(...names);
    this.#session.reconnect('more executors are offered');
  }

  /** Lets work run concurrently. Failures are logged; a peer that waits for an answer times out. */
  #soon(what: string, work: Promise<unknown>): void {
    work.catch((error) => this.#options.log.error('agent_work_failed', { what, error }));
  }
}

function workspacesOf({ declaredWorkspaces, objectStore }: AgentConfig, folder: DataFolder): Workspaces {
  return new Workspaces(folder.agentId, declaredWorkspaces, {
    mountFolder: folder.mounts,
    ...(objectStore === undefined ? {} : { objectStore }),
  });
}

function credentialsOf({ config, clock, log }: AgentOptions, folder: DataFolder): Credentials {
  if (config.tls === undefined) return PLAIN;
  const { joinToken } = config;
  const nodeName = config.nodeName || hostname();
  const { folder: given } = config.tls;
  return new TlsCredentials({
    given,
    kept: folder.tls,
    nodeName,
    joinToken,
    nowMs: () => clock.nowMs(),
    log,
  });
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  WARN: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

function toLogLevel(name: string): LogLevel | undefined {
  return LEVELS[name.toUpperCase()];
}
