/**
 * Runs a task in a container of a Docker engine: the image's entry point with the command's arguments, as an
 * unprivileged user, without capabilities, and without a network unless the task requires one. A container is found
 * again by its name.
 */
import { chmod } from 'node:fs/promises';
import type Docker from 'dockerode';
import { CONTAINER_PATHS } from '../../../src/domain/task/task-paths.ts';
import type { LogCut } from '../../../src/domain/task/task-result.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { type Clock, pause } from '../../clock.ts';
import type { ContainersConfig, DockerConfig } from '../../config.ts';
import { TaskFailure } from '../../task/task-failure.ts';
import { makeContainerFolders, numericUser } from '../container-paths.ts';
import {
  type Executor,
  KILLED_CODE,
  type MainEnd,
  type MainRun,
  type MainTask,
  type TaskIdentity,
} from '../executor.ts';
import { GpuSlots } from '../gpu-slots.ts';
import { containerName, containerOf, LABEL } from './container.ts';
import { connectEngine, engineStatus, isAbsent, messageOf, untilAnswered } from './engine.ts';
import { removeLeftContainers } from './leftovers.ts';
import { copyLogs } from './logs.ts';
import { wasOutOfMemory } from './out-of-memory.ts';
import { ImagePulls } from './pulls.ts';
import { measureContainer } from './used.ts';

const PING_MS_MAX = 10_000;
const LOGS_RETRY_MS = 1_000;

export interface DockerExecutorOptions {
  readonly config: DockerConfig;
  readonly containers: ContainersConfig;
  /** Graphics processors of the host, as offered. */
  readonly gpuCount: number;
  readonly agentId: string;
  /** Folder of the executions' folders, as the agent sees it. */
  readonly workFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Context extends DockerExecutorOptions {
  readonly engine: Docker;
  readonly gpus: GpuSlots;
}

export function createDockerExecutor(options: DockerExecutorOptions): Executor {
  const { config, containers, clock, log } = options;
  const engine = connectEngine(config.host);
  const context = { ...options, engine, gpus: new GpuSlots(options.gpuCount) };
  const pulls = new ImagePulls({ engine, clock, log, authFile: containers.registryAuthFile });
  return {
    name: 'docker',
    unavailable: () => unavailable(context),
    paths: () => CONTAINER_PATHS,
    pull: (image, signal) => pulls.pull(image, signal),
    reclaim: (task) => reclaim(context, task),
    removeLeftovers: (held) => removeLeftContainers(context, held),
    prepare: ({ folder }) => makeContainerFolders(folder, ownerOf(containers)),
    usesFolder: true,
    mountsFiles: true,
    makeReadOnly: (_task, path) => chmod(path, 0o444),
    makeFolderReadOnly: (_task, path) => chmod(path, 0o755),
    start: (task) => start(context, task),
    find: (task) => find(context, task),
    // A container has access to its own files only, so it cannot link to others.
    owns: () => true,
    release: (task) => release(context, task),
  };
}

/** With root, the output directory belongs to the container's user; without, containers run as the agent's user. */
function ownerOf({ user }: ContainersConfig) {
  return process.getuid?.() === 0 ? numericUser(user) : 'agent';
}

async function unavailable({ engine, clock }: Context): Promise<string | undefined> {
  const timeout = pause(clock, PING_MS_MAX).then(() => 'the container engine does not answer');
  const ping = engine.ping().then(
    () => undefined,
    (error) => `the container engine cannot be reached: ${messageOf(error)}`,
  );
  return Promise.race([ping, timeout]);
}

/**
 * After a restart: reads the container's devices from its labels. One that cannot be read counts as without devices.
 */
async function reclaim({ engine, agentId, gpus }: Context, task: TaskIdentity): Promise<void> {
  if (gpus.isEmpty) return;
  const found = await engine
    .getContainer(containerName(agentId, task))
    .inspect()
    .catch(() => undefined);
  const devices = found?.Config.Labels[LABEL.gpus] ?? '';
  gpus.adopt(task.executionId, devices === '' ? [] : devices.split(',').map(Number));
}

async function start(context: Context, task: MainTask): Promise<MainRun> {
  const { engine, gpus, config } = context;
  const devices = gpus.lend(task.executionId, task.resources.gpus ?? 0);
  if (devices === undefined) throw new TaskFailure('resource-starvation', 'too few GPUs are free here');
  const place = { ...context, hostWorkFolder: config.hostWorkFolder };
  try {
    const container = await engine.createContainer(containerOf(place, task, devices));
    await container.start();
    return follow(context, task, container);
  } catch (error) {
    // The name exists: an earlier run of the agent created the container, right before it was killed.
    const earlier = engineStatus(error) === 409 ? await find(context, task) : undefined;
    if (earlier !== undefined) return earlier;
    await release(context, task).catch(() => undefined); // the failure below is reported instead
    throw new TaskFailure('docker-task-launch', `the container did not start: ${messageOf(error)}`);
  }
}

async function find(context: Context, task: TaskIdentity): Promise<MainRun | undefined> {
  const container = context.engine.getContainer(containerName(context.agentId, task));
  try {
    const { State } = await untilAnswered(context.clock, () => container.inspect());
    if (State.Status !== 'created') return follow(context, task, container);
    // It was created but never started, so it is created again, with the present secrets.
    await container.remove({ force: true, v: true });
    return undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new TaskFailure(
      'docker-terminated',
      `the engine does not describe the container: ${messageOf(error)}`,
    );
  }
}

async function follow(context: Context, task: TaskIdentity, container: Docker.Container): Promise<MainRun> {
  const { State, Config, Image } = await untilAnswered(context.clock, () => container.inspect());
  const image = context.engine.getImage(Image);
  let isKilled = false;
  const ended = endOf(context, task, container, () => isKilled);
  ended.catch(() => undefined); // the caller that started the task waits for it
  return {
    startedMs: Date.parse(State.StartedAt),
    note: Config.Labels[LABEL.note] ?? '',
    imageDigest: digestOf(task.image, await image.inspect().catch(() => undefined)) ?? Image,
    ended,
    signal: async (signal) => {
      isKilled ||= signal === 'SIGKILL';
      try {
        await container.kill({ signal });
      } catch (error) {
        // It has stopped or was removed already.
        if (engineStatus(error) !== 409 && !isAbsent(error)) throw error;
      }
    },
  };
}

/**
 * Waits until the container is not running. If it has ended before the wait, the engine answers at once. `isKilled`:
 * whether the agent has killed it, so that nobody needs to be asked who did.
 */
async function endOf(
  context: Context,
  task: TaskIdentity,
  container: Docker.Container,
  isKilled: () => boolean,
): Promise<MainEnd> {
  const { clock } = context;
  const copied = copyAllLogs(context, task, container);
  const measured = measureContainer(container);
  try {
    await untilAnswered(clock, () => container.wait());
    const found = await untilAnswered(clock, () => container.inspect());
    const { State } = found;
    const used = measured();
    await copied;
    // The engine may end the stream before it has written the last piece, so the rest is read once more.
    const logCut = await copyAllLogs(context, task, container);
    return {
      used,
      logCut,
      how: 'exited',
      exitCode: State.ExitCode,
      endedMs: Date.parse(State.FinishedAt),
      isOutOfMemory: isKilled() ? State.OOMKilled : await wasOutOfMemory(context.engine, found, clock),
      isKilled: State.ExitCode === KILLED_CODE,
    };
  } catch (error) {
    const detail = isAbsent(error) ? 'its container was removed' : `its container: ${messageOf(error)}`;
    return { how: 'lost', endedMs: clock.nowMs(), detail, used: measured() };
  }
}

/** The digest by which a registry has the image; the engine's own id of an image that no registry has. */
function digestOf(reference: string, found: Docker.ImageInspectInfo | undefined): string | undefined {
  const names = (found?.RepoDigests ?? []).map((name) => name.split('@'));
  const own = names.find(([name]) => name !== undefined && reference.startsWith(name)) ?? names[0];
  return own?.[1] ?? found?.Id;
}

/**
 * Resolves with the bytes that were left out, if any. Never rejects: if the engine does not return the output, the
 * output is lost, but the task's result is kept.
 */
async function copyAllLogs(
  context: Context,
  task: TaskIdentity,
  container: Docker.Container,
): Promise<LogCut | undefined> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const stream = await container.logs({ follow: true, stdout: true, stderr: true });
      return await copyLogs(stream as AsyncIterable<Buffer>, task.folder, task.logBytesMax);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      context.log.warn('container_logs_interrupted', {
        executionId: task.executionId,
        error: messageOf(error),
      });
      await pause(context.clock, LOGS_RETRY_MS);
    }
  }
  return undefined;
}

/** Removes the container and the volumes that were created for it. */
async function release(context: Context, task: TaskIdentity): Promise<void> {
  const { engine, clock, log, gpus } = context;
  const name = containerName(context.agentId, task);
  const container = engine.getContainer(name);
  try {
    const { Mounts } = await untilAnswered(clock, () => container.inspect());
    await container.remove({ force: true, v: true });
    const volumes = Mounts.flatMap((mount) => (mount.Name?.startsWith(`${name}-`) ? [mount.Name] : []));
    for (const volume of volumes) await engine.getVolume(volume).remove();
  } catch (error) {
    if (isAbsent(error)) return;
    log.warn('container_not_removed', { executionId: task.executionId, error: messageOf(error) });
  } finally {
    gpus.giveBack(task.executionId);
  }
}
