/**
 * Runs a task in a container: the image's entry point with the command's arguments, as an unprivileged user,
 * without capabilities, without a network unless the configuration names one. A container is found again by
 * its labels.
 */
import { chmod, chown, mkdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { join } from 'node:path/posix';
import type Docker from 'dockerode';
import type { Logger } from '../../src/observe/log.ts';
import { type Clock, pause } from '../clock.ts';
import type { DockerConfig } from '../config.ts';
import { TaskFailure } from '../task/task-failure.ts';
import type { TaskFolder } from '../task/task-folder.ts';
import { connectEngine, engineStatus, ImagePulls, isAbsent, messageOf, patiently } from './docker-engine.ts';
import { copyLogs } from './docker-logs.ts';
import type { Executor, MainEnd, MainRun, MainTask, TaskIdentity, TaskMount } from './executor.ts';

const MIB = 1024 * 1024;
const PROCESSES_MAX = 1_024;
const PING_MS_MAX = 10_000;
const LOGS_RETRY_MS = 1_000;
const INPUT = '/millrace/input';
const OUTPUT = '/millrace/output';
const INPUT_METADATA = '/millrace/input-metadata.json';

export interface DockerExecutorOptions {
  readonly config: DockerConfig;
  readonly agentId: string;
  /** Folder of the executions' folders, as the agent sees it. */
  readonly workFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Context extends DockerExecutorOptions {
  readonly engine: Docker;
}

export function createDockerExecutor(options: DockerExecutorOptions): Executor {
  const engine = connectEngine(options.config.host);
  const context = { ...options, engine };
  const pulls = new ImagePulls(engine, options.clock);
  return {
    name: 'docker',
    unavailable: () => unavailable(context),
    paths: () => ({ input: INPUT, output: OUTPUT, inputMetadata: INPUT_METADATA }),
    pull: (image, signal) => pulls.pull(image, signal),
    reclaim: async () => undefined,
    prepare: (task) => prepare(task.folder, options.config),
    seal: (_task, path) => chmod(path, 0o444),
    sealFolder: (_task, path) => chmod(path, 0o755),
    start: (task) => start(context, task),
    find: (task) => find(context, task),
    // A container sees no files but its own: there is nothing that it could link to.
    owns: () => true,
    release: (task) => release(context, task),
  };
}

async function unavailable({ engine, clock }: Context): Promise<string | undefined> {
  const timeout = pause(clock, PING_MS_MAX).then(() => 'the container engine does not answer');
  const ping = engine.ping().then(
    () => undefined,
    (error) => `the container engine cannot be reached: ${messageOf(error)}`,
  );
  return Promise.race([ping, timeout]);
}

/** Root gives the output directory to the container's user; anybody else runs containers as himself. */
async function prepare(folder: TaskFolder, config: DockerConfig): Promise<void> {
  await Promise.all([folder.input, folder.output].map((path) => mkdir(path, { mode: 0o755 })));
  if (process.getuid?.() !== 0) return;
  const [user, group] = config.user.split(':').map(Number);
  if (Number.isInteger(user))
    await chown(folder.output, user as number, Number.isInteger(group) ? (group as number) : 0);
  else await chmod(folder.output, 0o777); // a user known by name to the image only
}

async function start(context: Context, task: MainTask): Promise<MainRun> {
  const { engine } = context;
  try {
    const container = await engine.createContainer(containerOf(context, task));
    await container.start();
    return follow(context, task, container);
  } catch (error) {
    // The name is taken: an earlier life of the agent made the container, right before it was killed.
    const earlier = engineStatus(error) === 409 ? await find(context, task) : undefined;
    if (earlier !== undefined) return earlier;
    await release(context, task).catch(() => undefined); // the failure below says more
    throw new TaskFailure('docker-task-launch', `the container did not start: ${messageOf(error)}`);
  }
}

async function find(context: Context, task: TaskIdentity): Promise<MainRun | undefined> {
  const container = context.engine.getContainer(nameOf(context, task));
  try {
    const { State } = await patiently(context.clock, () => container.inspect());
    if (State.Status !== 'created') return follow(context, task, container);
    // Made and never started: it is made anew, with the secrets that are known now.
    await container.remove({ force: true, v: true });
    return undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new TaskFailure(
      'docker-terminated',
      `the engine does not tell of the container: ${messageOf(error)}`,
    );
  }
}

async function follow(context: Context, task: TaskIdentity, container: Docker.Container): Promise<MainRun> {
  const { State } = await patiently(context.clock, () => container.inspect());
  const ended = endOf(context, task, container);
  ended.catch(() => undefined); // whoever started the task waits for it
  return {
    startedMs: Date.parse(State.StartedAt),
    ended,
    signal: async (signal) => {
      try {
        await container.kill({ signal });
      } catch (error) {
        // Not running any more, or gone: that is what was wanted.
        if (engineStatus(error) !== 409 && !isAbsent(error)) throw error;
      }
    },
  };
}

/**
 * Waits after the start, for "not running": an end before the wait is answered at once, and so never missed.
 */
async function endOf(context: Context, task: TaskIdentity, container: Docker.Container): Promise<MainEnd> {
  const { clock } = context;
  const copied = copyAllLogs(context, task, container);
  try {
    await patiently(clock, () => container.wait());
    const { State } = await patiently(clock, () => container.inspect());
    await copied;
    // A follower may be let go before the engine has written the last piece: what is missing is read once more.
    await copyAllLogs(context, task, container);
    return {
      how: 'exited',
      exitCode: State.ExitCode,
      endedMs: Date.parse(State.FinishedAt),
      isOutOfMemory: State.OOMKilled,
    };
  } catch (error) {
    const detail = isAbsent(error) ? 'its container was removed' : `its container: ${messageOf(error)}`;
    return { how: 'lost', endedMs: clock.nowMs(), detail };
  }
}

/** Never rejects: output that the engine does not give is lost, the task's result is not. */
async function copyAllLogs(context: Context, task: TaskIdentity, container: Docker.Container): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const stream = await container.logs({ follow: true, stdout: true, stderr: true });
      await copyLogs(stream as AsyncIterable<Buffer>, task.folder);
      return;
    } catch (error) {
      if (isAbsent(error)) return;
      context.log.warn('logs of a container interrupted', {
        executionId: task.executionId,
        error: messageOf(error),
      });
      await pause(context.clock, LOGS_RETRY_MS);
    }
  }
}

/** Removes the container and the volumes that were made for it. */
async function release(context: Context, task: TaskIdentity): Promise<void> {
  const { engine, clock, log } = context;
  const name = nameOf(context, task);
  const container = engine.getContainer(name);
  try {
    const { Mounts } = await patiently(clock, () => container.inspect());
    await container.remove({ force: true, v: true });
    const volumes = Mounts.flatMap((mount) => (mount.Name?.startsWith(`${name}-`) ? [mount.Name] : []));
    for (const volume of volumes) await engine.getVolume(volume).remove();
  } catch (error) {
    if (isAbsent(error)) return;
    log.warn('container not removed', { executionId: task.executionId, error: messageOf(error) });
  }
}

/** One name an execution: a second container for it cannot be made. */
function nameOf({ agentId }: Context, { executionId }: TaskIdentity): string {
  return `millrace-${agentId}-${executionId}`;
}

function containerOf(context: Context, task: MainTask): Docker.ContainerCreateOptions {
  const { config, agentId } = context;
  const { cpus = 0.25, mem = 128, gpus = 0, sharedmem = 0 } = task.resources;
  const memory = Math.ceil(mem) * MIB;
  return {
    name: nameOf(context, task),
    Image: task.image,
    ...(task.argv.length > 0 ? { Cmd: [...task.argv] } : {}),
    Env: Object.entries(task.environment).map(([name, value]) => `${name}=${value}`),
    User: process.getuid?.() === 0 ? config.user : `${process.getuid?.()}:${process.getgid?.()}`,
    Labels: {
      'millrace.agent': agentId,
      'millrace.execution': String(task.executionId),
      'millrace.job': String(task.jobId),
      'millrace.exe-num': String(task.exeNum),
      'millrace.job-type': task.jobTypeName,
      'millrace.job-type-version': task.jobTypeVersion,
    },
    HostConfig: {
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: Math.round(cpus * 1e9),
      PidsLimit: PROCESSES_MAX,
      ...(sharedmem > 0 ? { ShmSize: Math.ceil(sharedmem) * MIB } : {}),
      ...(gpus > 0 ? { DeviceRequests: [{ Driver: 'nvidia', Count: gpus, Capabilities: [['gpu']] }] } : {}),
      NetworkMode: config.network,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Mounts: mountsOf(context, task),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '64m' } },
    },
  };
}

function mountsOf(context: Context, task: MainTask): Docker.MountSettings[] {
  const { folder, mounts, environment } = task;
  const bind = (Source: string, Target: string, ReadOnly: boolean): Docker.MountSettings => {
    return { Type: 'bind', Source, Target, ReadOnly };
  };
  const own = [
    bind(hostPath(context, folder.input), INPUT, true),
    bind(hostPath(context, folder.output), OUTPUT, false),
  ];
  if (environment.INPUT_METADATA === INPUT_METADATA) {
    own.push(bind(hostPath(context, folder.inputMetadata), INPUT_METADATA, true));
  }
  return [...own, ...mounts.map((mount) => mountOf(mount, `${nameOf(context, task)}-${mount.name}`))];
}

/** A volume belongs to its execution: it is named by it, and goes with its container. */
function mountOf({ containerPath, isReadOnly, source }: TaskMount, volume: string): Docker.MountSettings {
  if (source.type === 'host') {
    return { Type: 'bind', Source: source.hostPath, Target: containerPath, ReadOnly: isReadOnly };
  }
  const driver = { Name: source.driver || 'local', Options: { ...source.driverOptions } };
  const options = { NoCopy: false, Labels: { 'millrace.volume': volume }, DriverConfig: driver };
  return {
    Type: 'volume',
    Source: volume,
    Target: containerPath,
    ReadOnly: isReadOnly,
    VolumeOptions: options,
  };
}

/** An agent in a container has to name its folders as the host calls them. */
function hostPath({ config, workFolder }: Context, path: string): string {
  return config.hostWorkFolder === undefined ? path : join(config.hostWorkFolder, relative(workFolder, path));
}
