/**
 * Runs a task in a container without an engine: a runtime (the light one, or runc) runs it on the image's files,
 * covered by a layer of its own, in its own user, process and network namespaces, with limits and a system-call filter.
 * A supervisor runs the runtime in the foreground, so that the container outlives the agent and its exit code can be
 * found again.
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTAINER_PATHS } from '../../../src/domain/task/task-paths.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { type Clock, pause } from '../../clock.ts';
import type { ContainersConfig } from '../../config.ts';
import { TaskFailure } from '../../task/task-failure.ts';
import type { TaskFolder } from '../../task/task-folder.ts';
import { combined } from '../cgroup.ts';
import { makeContainerFolders, numericUser, type OutputOwner } from '../container-paths.ts';
import {
  type Executor,
  type FolderKind,
  KILLED_CODE,
  type MainEnd,
  type MainRun,
  type MainTask,
  type TaskIdentity,
} from '../executor.ts';
import type { Spawned, Spawner } from '../spawner/spawner.ts';
import {
  beginSupervised,
  endOfTaken,
  exitOf,
  findSupervisor,
  type Supervised,
  supervisorGone,
} from '../spawner/supervisor.ts';
import { type ImageFacts, runtimeConfig } from './bundle.ts';
import { OciImages } from './images.ts';
import { type Choice, chooseStarter, limitsSwap } from './probe.ts';
import { FAULT_CODE, kill, OciRuntime } from './runtime.ts';
import type { Filters, SeccompFilter } from './seccomp.ts';

/** runc runs too briefly for several threads: with a single one it takes 3.5 ms less of its 45 ms of processor time. */
const RUNTIME_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  GOMAXPROCS: '1',
};
const SIGNAL_LOOK_MS = 20;
const SIGNAL_LOOKS_MAX = 250;

export interface OciExecutorOptions {
  readonly containers: ContainersConfig;
  /** Folder of the executions' folders. */
  readonly workFolder: string;
  /** Folder of the unpacked images. */
  readonly images: string;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Context extends OciExecutorOptions {
  readonly cache: OciImages;
  /** Opened once, by the first caller. */
  readonly runtime: () => Promise<OciRuntime | undefined>;
  /** The last choice, or why there is none; made at the first need, and again by `unavailable`. */
  readonly choice: (isAgain?: boolean) => Promise<Choice | string>;
  readonly user: OutputOwner;
  readonly limitsSwap: boolean;
  readonly folders: FolderKind;
  /** Tasks that this run of the agent has started and not released, by execution. */
  readonly spawned: Map<number, Spawned>;
  /** Those of them whose containers have ended by themselves. */
  readonly clean: Set<number>;
}

export function createOciExecutor(options: OciExecutorOptions): Executor {
  const context = contextOf(options);
  const { containers, cache } = context;
  const { first, count } = containers.mappedUsers;
  return {
    name: 'oci',
    unavailable: () => unavailable(context),
    remark: async () => remarkOn(await context.choice()),
    paths: () => CONTAINER_PATHS,
    pull: (image, signal) => cache.pull(image, signal),
    reclaim: (task) => reclaim(context, task),
    removeLeftovers: (held) => removeLeftContainers(context, held),
    folderKind: async () => context.folders,
    prepare: ({ folder }) => context.folders.make(folder),
    usesFolder: true,
    mountsFiles: true,
    makeReadOnly: (_task, path) => chmod(path, 0o444),
    makeFolderReadOnly: (_task, path) => chmod(path, 0o755),
    start: (task) => start(context, task),
    find: (task) => find(context, task),
    owns: (_task, { uid }) => uid >= first && uid < first + count,
    release: (task) => release(context, task),
    close: async () => (await context.runtime())?.close(),
  };
}

function contextOf(options: OciExecutorOptions): Context {
  const { containers, workFolder, clock, log } = options;
  const { mappedUsers, imageCacheMib: cacheMib, registryAuthFile: authFile } = containers;
  const folder = options.images;
  let runtime: Promise<OciRuntime | undefined> | undefined;
  let choice: Promise<Choice | string> | undefined;
  // Named by the folder, which only one agent has, even if it has lost its identity.
  const open = () => (runtime ??= OciRuntime.open(`millrace-${hashOf(workFolder)}`));
  const user = numericUser(containers.user) ?? { userId: 65_534, groupId: 65_534 };
  const choose = async () => chooseStarter({ runtime: await open(), containers, workFolder, clock });
  return {
    ...options,
    cache: new OciImages({ folder, cacheMib, mappedUsers, authFile, clock, log }),
    runtime: open,
    choice: (isAgain) => {
      if (choice === undefined || isAgain === true) choice = choose();
      return choice;
    },
    spawned: new Map(),
    clean: new Set(),
    user,
    limitsSwap: limitsSwap(),
    folders: containerFolders(mapped(containers, user), containers.mappedUsers.first),
  };
}

async function unavailable({ choice, log }: Context): Promise<string | undefined> {
  const chosen = await choice(true);
  if (typeof chosen === 'string') return chosen;
  const { starter, against } = chosen;
  log.info('container_runtime', { runtime: starter.name, ...(against === '' ? {} : { reason: against }) });
  return undefined;
}

function remarkOn(choice: Choice | string): string | undefined {
  if (typeof choice === 'string') return undefined;
  const { starter, against } = choice;
  return `by the runtime ${starter.name}${against === '' ? '' : ` (${against})`}`;
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

function idOf({ executionId }: TaskIdentity): string {
  return `execution-${executionId}`;
}

/** The host's user for a user of the container. */
function mapped({ mappedUsers: { first } }: ContainersConfig, user: OutputOwner): OutputOwner {
  return { userId: first + user.userId, groupId: first + user.groupId };
}

const layersOf = ({ work }: TaskFolder) => ({
  upper: join(work, 'upper'),
  overlayWork: join(work, 'layer'),
  volumes: join(work, 'volumes'),
});

/** Only the containers' first user can enter a folder; its contents belong to their users. */
export function containerFolders(owner: OutputOwner, first: number): FolderKind {
  return {
    name: 'oci',
    make: async (folder) => {
      const { upper, overlayWork, volumes } = layersOf(folder);
      await makeContainerFolders(folder, owner);
      for (const path of [folder.work, upper, overlayWork, volumes]) await mkdir(path, { mode: 0o755 });
      for (const path of [upper, overlayWork]) await chown(path, first, first);
      await chown(folder.root, 0, first);
      await chmod(folder.root, 0o710);
    },
    directories: ({ input, output, work }) => [input, output, work],
    // A file of the container is changed, made or removed only together with something in the upper layer.
    changeable: (folder) => [folder.input, folder.output, layersOf(folder).upper, layersOf(folder).volumes],
    // Where the kernel makes what then goes to the upper layer.
    emptied: (folder) => [join(layersOf(folder).overlayWork, 'work')],
  };
}

async function start(context: Context, task: MainTask): Promise<MainRun> {
  const { cache, spawner } = context;
  const known = context.spawned.has(task.executionId) && (await find(context, task));
  if (known) return known;
  const runtime = await runtimeOf(context);
  const chosen = await context.choice();
  if (typeof chosen === 'string') throw new TaskFailure('docker-task-launch', chosen);
  const image = await cache.take(task.executionId, task.image);
  const { facts } = image;
  if (facts.entrypoint.length + (task.argv.length || facts.command.length) === 0)
    throw new TaskFailure('docker-task-launch', 'neither the image nor the job type has a command');
  const { upper, overlayWork, volumes } = layersOf(task.folder);
  refuseUnknown(context, task);
  refuseLinks(image.root);
  await makeVolumes(context, task, volumes);
  const { containers, user, workFolder } = context;
  const config = runtimeConfig({
    task,
    facts,
    lower: image.root,
    upper,
    overlayWork,
    user,
    mappedUsers: containers.mappedUsers,
    cgroup: `millrace-${hashOf(workFolder)}-${task.executionId}`,
    limitsSwap: context.limitsSwap,
    seccomp: filterFor(chosen.filters, task, facts),
    hasHostNetwork: (task.resources.network ?? 0) > 0,
    hostsFile: runtime.hostsFile(idOf(task)),
    volumes,
  });
  const argv = runtime.prepare(idOf(task), config, chosen.starter, image.digest);
  const spawned = await beginSupervised(spawner, {
    folder: task.folder.root,
    controlGroups: [],
    userId: undefined,
    mounts: [], // the runtime creates namespaces and mounts
    argv,
    environment: RUNTIME_ENVIRONMENT,
    note: task.note,
  });
  context.spawned.set(task.executionId, spawned);
  const { pid, startedMs, exited } = spawned;
  return follow(context, runtime, {
    task,
    supervisor: { pid, startTicks: '', startedMs, note: task.note },
    exited,
  });
}

/** All programs are allowed with mounts, which may contain programs that were not checked. */
function filterFor(filters: Filters, { mounts }: MainTask, facts: ImageFacts): SeccompFilter {
  return facts.has32BitPrograms || mounts.length > 0 ? filters.every : filters.native;
}

/** Refuses options that only an engine supports. A task with them is sent here if the host has no engine. */
function refuseUnknown({ containers }: Context, { resources, mounts }: MainTask): void {
  const { gpus = 0, network = 0 } = resources;
  const driven = mounts.find(
    ({ source }) =>
      source.type === 'volume' &&
      (!['', 'local'].includes(source.driver) || Object.keys(source.driverOptions).length > 0),
  );
  const lacks =
    (gpus > 0 && 'GPUs') ||
    (network > 0 && containers.network !== 'host' && 'a network') ||
    (driven !== undefined && `the volume driver of ${driven.name}`);
  if (lacks) throw new TaskFailure('docker-task-launch', `${lacks} needs the docker executor`);
}

/** Where runtimes mount: runc 1.1 would create nodes of /dev behind such a link, on the host. */
function refuseLinks(root: string): void {
  const link = ['dev', 'proc', 'sys'].find((name) =>
    lstatSync(join(root, name), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
  if (link !== undefined) throw new TaskFailure('docker-task-launch', `/${link} of the image is a link`);
}

/** Volumes without a driver are directories of the execution, and are removed with it. */
async function makeVolumes(context: Context, { mounts }: MainTask, volumes: string): Promise<void> {
  const { userId, groupId } = mapped(context.containers, context.user);
  for (const { name, source } of mounts) {
    if (source.type !== 'volume') continue;
    await mkdir(join(volumes, name), { recursive: true, mode: 0o755 });
    await chown(join(volumes, name), userId, groupId);
  }
}

async function find(context: Context, task: TaskIdentity): Promise<MainRun | undefined> {
  const supervisor = await findSupervisor(context.clock, task.folder);
  if (supervisor === undefined) return undefined;
  return follow(context, await runtimeOf(context), {
    task,
    supervisor,
    exited: context.spawned.get(task.executionId)?.exited,
  });
}

function follow(context: Context, runtime: OciRuntime, followed: Supervised): MainRun {
  let isOver = false;
  const ended = endOf(context, runtime, followed).finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined); // the caller that started the task waits for it
  return {
    startedMs: followed.supervisor.startedMs,
    note: followed.supervisor.note,
    imageDigest: context.cache.digestOf(followed.task.executionId),
    ended,
    signal: async (signal) => {
      // A container that is being created has no process yet.
      for (let look = 0; look < SIGNAL_LOOKS_MAX && !isOver; look += 1) {
        const init = await runtime.init(idOf(followed.task));
        if (init !== undefined) return kill(init, signal);
        await pause(context.clock, SIGNAL_LOOK_MS);
      }
    },
  };
}

async function endOf(context: Context, runtime: OciRuntime, followed: Supervised): Promise<MainEnd> {
  const { clock, log } = context;
  const { task, supervisor } = followed;
  const id = idOf(task);
  const exit = await followed.exited;
  if (exit?.how === 'taken') return endOfTaken(context.spawned, task.executionId, () => find(context, task));
  if (exit === undefined || exit.how === 'unwatched') await supervisorGone(clock, task.folder, supervisor);
  const hasRun = exit?.how === 'ended' && runtime.hasRunToEnd(id, exit.exitCode);
  // If a container continues without its runtime, its exit code is lost.
  const isLeft = !hasRun && (await runtime.init(id)) !== undefined;
  if (isLeft && !(await runtime.end(id, clock)))
    log.error('container_not_ended', { executionId: task.executionId });
  const result = exitOf(exit, task.folder);
  const endedMs = result?.endedMs ?? clock.nowMs();
  const used = combined(runtime.used(id), result?.used);
  if (result === undefined || isLeft)
    return { how: 'lost', endedMs, detail: 'its supervisor was killed', used };
  const fault = hasRun ? undefined : runtime.fault(id);
  if (fault !== undefined)
    throw new TaskFailure('docker-task-launch', `the container did not start: ${fault}`);
  const isOutOfMemory = result.exitCode !== 0 && runtime.ranOutOfMemory(id);
  // What watches a container gives no such code for a failure of its own.
  const isClean = exit?.how === 'ended' && result.exitCode < FAULT_CODE && !isOutOfMemory;
  if (isClean) context.clean.add(task.executionId);
  const isKilled = result.exitCode === KILLED_CODE;
  // What copied the program's outputs has ended. The program had pipes.
  const areLogsClosed = hasRun;
  return { how: 'exited', exitCode: result.exitCode, endedMs, isOutOfMemory, isKilled, used, areLogsClosed };
}

async function reclaim({ cache, runtime }: Context, task: TaskIdentity): Promise<void> {
  cache.adopt(task.executionId, (await runtime())?.imageOf(idOf(task)) ?? '');
}

async function release(context: Context, task: TaskIdentity): Promise<void> {
  const { cache, clock, log, spawned, clean } = context;
  const isClean = clean.delete(task.executionId);
  spawned.get(task.executionId)?.release();
  spawned.delete(task.executionId);
  cache.giveBack(task.executionId);
  const runtime = await context.runtime();
  if (runtime === undefined) return;
  try {
    if (!isClean) await runtime.end(idOf(task), clock);
    await runtime.remove(idOf(task), clock, isClean);
  } catch (error) {
    log.warn('container_not_removed', { executionId: task.executionId, error });
  }
}

async function removeLeftContainers(context: Context, held: ReadonlySet<number>): Promise<void> {
  const { cache, clock, log } = context;
  try {
    await cache.removeLeftovers();
    const runtime = await context.runtime();
    await runtime?.removeKept();
    for (const id of (await runtime?.ids()) ?? []) {
      const executionId = /^execution-(\d+)$/.exec(id)?.[1];
      if (runtime === undefined || (executionId !== undefined && held.has(Number(executionId)))) continue;
      await runtime.end(id, clock);
      await runtime.remove(id, clock);
      log.info('leftover_removed', { executor: 'oci', id });
    }
  } catch (error) {
    log.warn('leftovers_not_removed', { executor: 'oci', error });
  }
}

async function runtimeOf(context: Context): Promise<OciRuntime> {
  const runtime = await context.runtime();
  if (runtime === undefined) throw new TaskFailure('docker-task-launch', 'there is no file system in memory');
  return runtime;
}
