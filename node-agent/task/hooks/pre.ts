/**
 * Before the main task: checks what it needs, makes its directories and stages its input files as copies that
 * it may read and not alter. Repeatable: a second run replaces what the first one left.
 */

import { createWriteStream } from 'node:fs';
import { constants, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../src/domain/errors.ts';
import type {
  InputFile,
  Launch,
  TaskInput,
  WorkspaceRef,
} from '../../../src/domain/node/coordinator-messages.ts';
import type { Executor, TaskIdentity, TaskMount } from '../../executor/executor.ts';
import type { Workspaces } from '../../workspaces.ts';
import { localNames } from '../input-names.ts';
import { TaskFailure } from '../task-failure.ts';
import type { TaskSpec } from '../task-spec.ts';

export interface PreRequest {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly signal: AbortSignal;
}

/** Whether an execution has a folder of its own: its task uses one, or files are staged or expected there. */
export function needsFolder(executor: Executor | undefined, { inputs, outputs }: Launch): boolean {
  return executor?.usesFolder !== false || inputs.length > 0 || outputs.length > 0;
}

/**
 * Throws TaskFailure, or an AppError of a broker. Answers the input files that are to be mounted instead of copied:
 * those of which a task reads a part only, where their workspace is mounted on this host.
 */
export async function prepareTask(request: PreRequest): Promise<readonly TaskMount[]> {
  const mounts: TaskMount[] = [];
  const { spec, task, executor } = request;
  checkConfiguration(spec);
  if (!needsFolder(executor, spec.launch)) return mounts;
  await makeEmpty(task.folder.root);
  await executor.prepare(task);
  if (spec.launch.inputs.length > 0) {
    await mkdir(task.folder.input, { recursive: true, mode: 0o700 });
    for (const input of spec.launch.inputs) mounts.push(...(await stageInput(request, input)));
    await executor.sealFolder(task, task.folder.input);
  }
  if (spec.launch.inputMetadata !== '') {
    await writeFile(task.folder.inputMetadata, spec.launch.inputMetadata, { mode: 0o600 });
    await executor.seal(task, task.folder.inputMetadata);
  }
  return mounts;
}

function checkConfiguration({ launch, manifest, mounts }: TaskSpec): void {
  for (const { name } of manifest.job.interface.mounts) {
    if (mounts[name] === undefined)
      throw new TaskFailure('missing-mount', `the mount ${name} is not configured`);
  }
  for (const { output, workspaceUuid } of launch.outputs) {
    if (!launch.workspaces.some(({ uuid }) => uuid === workspaceUuid)) {
      throw new TaskFailure('unknown', `the output ${output} has no workspace`);
    }
  }
}

/** Removes what an earlier run may have left; usually there is nothing. */
async function makeEmpty(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
  }
}

async function stageInput(request: PreRequest, input: TaskInput): Promise<TaskMount[]> {
  const { task, executor } = request;
  const mounts: TaskMount[] = [];
  const folder = join(task.folder.input, input.name);
  await mkdir(folder, { mode: 0o700 });
  const names = localNames(input.files);
  for (const [index, file] of input.files.entries()) {
    request.signal.throwIfAborted();
    const name = names[index] as string;
    const local = join(folder, name);
    const source = input.partial ? await mountedAt(request, file) : undefined;
    if (source === undefined) await stageFile(request, file, local);
    else {
      // What a mount is put on has to be there.
      await writeFile(local, '', { flag: 'wx', mode: 0o600 });
      const containerPath = join(executor.paths(task.folder).input, input.name, name);
      const mount = { type: 'host', hostPath: source } as const;
      mounts.push({ name: `${input.name}-${index}`, containerPath, isReadOnly: true, source: mount });
    }
    await executor.seal(task, local);
  }
  await executor.sealFolder(task, folder);
  return mounts;
}

/** Where the host has the bucket's file mounted, whole; undefined: it is fetched. */
async function mountedAt(
  { spec, workspaces, executor }: PreRequest,
  file: InputFile,
): Promise<string | undefined> {
  const broker = workspaces.open(workspaceOf(spec, file.workspaceUuid));
  if (!executor.mountsFiles || broker.kind !== 'objstore') return undefined;
  const path = await broker.localPath(file.path);
  if (path === undefined || (await stat(path)).size !== file.size) return undefined;
  return path;
}

async function stageFile(
  { spec, workspaces, signal }: PreRequest,
  file: InputFile,
  local: string,
): Promise<void> {
  const broker = await workspaces.reached(workspaceOf(spec, file.workspaceUuid));
  try {
    // A mounted bucket may lag behind the bucket itself.
    const stored = broker.local === undefined ? undefined : await broker.localPath(file.path);
    if (stored === undefined) {
      await pipeline(
        await broker.openRead(file.path),
        createWriteStream(local, { flags: 'wx', mode: 0o600 }),
        { signal },
      );
    } else {
      // A clone where the file system can, else a copy: never a link, through which the task could alter what
      // is stored.
      await copyFile(stored, local, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    }
  } catch (error) {
    if (isAbsent(error))
      throw new TaskFailure('missing-file', `the file ${file.path} is not in its workspace`);
    throw error;
  }
  const { size } = await stat(local);
  if (size !== file.size) {
    throw new TaskFailure(
      'missing-file',
      `the file ${file.path} has ${size} bytes, not the ${file.size} recorded`,
    );
  }
}

function isAbsent(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'FILE_NOT_FOUND' || error.code === 'PATH_NOT_ALLOWED';
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

export function workspaceOf({ launch }: TaskSpec, uuid: string): WorkspaceRef {
  const found = launch.workspaces.find((workspace) => workspace.uuid === uuid);
  if (found === undefined) throw new TaskFailure('unknown', `the launch lacks the workspace ${uuid}`);
  return found;
}
