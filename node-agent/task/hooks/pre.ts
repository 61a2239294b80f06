/**
 * Before the main task: checks its requirements, creates its directories and stages its input files as copies that it
 * can read but not change. Repeatable: a second run replaces the files of the first.
 */

import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../src/domain/errors.ts';
import type {
  InputFile,
  Launch,
  TaskInput,
  WorkspaceRef,
} from '../../../src/domain/node/coordinator-messages.ts';
import { baseName } from '../../../src/domain/paths.ts';
import { localNames } from '../../../src/domain/task/input-names.ts';
import type { Broker, MountedFile } from '../../../src/storage/broker.ts';
import type { Folder } from '../../../src/storage/folder.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';
import type { Executor, TaskIdentity, TaskMount } from '../../executor/executor.ts';
import { inWorkspace, type Workspaces } from '../../workspaces.ts';
import { TaskFailure } from '../task-failure.ts';
import type { TaskFolders } from '../task-folders.ts';
import type { TaskSpec } from '../task-spec.ts';

export interface PreRequest {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly folders: TaskFolders;
  readonly signal: AbortSignal;
}

/** Whether an execution has a folder of its own: its task uses one, or it has input or output files. */
export function needsFolder(executor: Executor | undefined, { inputs, outputs }: Launch): boolean {
  return executor?.usesFolder !== false || inputs.length > 0 || outputs.length > 0;
}

/**
 * Throws TaskFailure, or an AppError of a broker. Returns the input files that are mounted instead of copied: partial
 * inputs whose workspace is mounted on this host.
 */
export async function prepareTask(request: PreRequest): Promise<readonly TaskMount[]> {
  const mounts: TaskMount[] = [];
  const { spec, task, executor } = request;
  checkConfiguration(spec);
  if (!needsFolder(executor, spec.launch)) return mounts;
  const kind = await executor.folderKind?.(task);
  if (kind === undefined || !request.folders.give(task.executionId, kind)) {
    await request.folders.make(task.executionId);
    await executor.prepare(task);
  }
  const root = new LocalRoot(task.folder.root);
  if (spec.launch.inputs.length > 0) {
    // Container executors have created it already, because they mount it even if it is empty.
    await root.within('', async (folder) => (await folder.enter(baseName(task.folder.input), true)).close());
    for (const input of spec.launch.inputs) mounts.push(...(await stageInput(request, input, root)));
    await executor.makeFolderReadOnly(task, task.folder.input);
  }
  if (spec.launch.inputMetadata !== '') {
    await root.within('', async (folder) => {
      const file = await folder.createNew(baseName(task.folder.inputMetadata), 0o600);
      await file.writeFile(spec.launch.inputMetadata).finally(() => file.close());
    });
    await executor.makeReadOnly(task, task.folder.inputMetadata);
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

async function stageInput(request: PreRequest, input: TaskInput, root: LocalRoot): Promise<TaskMount[]> {
  const { task, executor } = request;
  const mounts: TaskMount[] = [];
  const folder = join(task.folder.input, input.name);
  const names = localNames(input.files);
  await root.within(baseName(task.folder.input), async (inputs) => {
    await inputs.makeNewDirectory(input.name, 0o700);
    const into = await inputs.enter(input.name);
    try {
      for (const [index, file] of input.files.entries()) {
        request.signal.throwIfAborted();
        const name = names[index] as string;
        const source = input.partial ? await mountedAt(request, file) : undefined;
        if (source === undefined) await stageFile(request, file, into, name);
        else {
          // The target of a mount has to exist.
          await into.createNew(name, 0o600).then((made) => made.close());
          const containerPath = join(executor.paths(task.folder).input, input.name, name);
          const mount = { type: 'host', hostPath: source.hostPath } as const;
          mounts.push({ name: `${input.name}-${index}`, containerPath, isReadOnly: true, source: mount });
        }
        await executor.makeReadOnly(task, join(folder, name));
      }
    } finally {
      await into.close();
    }
  });
  await executor.makeFolderReadOnly(task, folder);
  return mounts;
}

/** The path of the mounted bucket's file, if it is complete; undefined: it is fetched. */
async function mountedAt(
  { spec, workspaces, executor }: PreRequest,
  file: InputFile,
): Promise<MountedFile | undefined> {
  const broker = workspaces.open(workspaceOf(spec, file.workspaceUuid));
  if (!executor.mountsFiles) return undefined;
  const mounted = await broker.mountedFile(file.path);
  return mounted?.size === file.size ? mounted : undefined;
}

interface StoredInput extends InputFile {
  readonly workspaceName: string;
}

/** Copies the file to the new file `name`: a clone if the file system supports it, never a link. */
async function stageFile(request: PreRequest, file: InputFile, into: Folder, name: string): Promise<void> {
  const workspace = workspaceOf(request.spec, file.workspaceUuid);
  await inWorkspace(workspace, () =>
    stageFrom(request, { ...file, workspaceName: workspace.name }, into, name),
  );
}

async function stageFrom(request: PreRequest, file: StoredInput, into: Folder, name: string): Promise<void> {
  const broker = await request.workspaces.reached(workspaceOf(request.spec, file.workspaceUuid));
  const { local } = broker;
  if (local === undefined) await fetchFile(broker, file, into, name, request.signal);
  else {
    const source = await orMissing(file, () =>
      local.beside(file.path, (folder, stored) => folder.openRead(stored)),
    );
    try {
      checkSize(file, (await source.stat()).size);
      await into.copyFrom(source, name);
    } finally {
      await source.close();
    }
  }
  checkSize(file, (await into.facts(name))?.size ?? 0);
}

async function fetchFile(
  broker: Broker,
  file: StoredInput,
  into: Folder,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  // One byte more than expected is enough to notice that it is another file.
  const range = { offset: 0, length: file.size + 1 };
  const source = await orMissing(file, () => broker.openRead(file.path, range));
  const staged = await into.createNew(name, 0o600);
  await orMissing(file, () => pipeline(source, staged.createWriteStream(), { signal }));
}

function checkSize(file: StoredInput, size: number): void {
  if (size === file.size) return;
  throw new TaskFailure(
    'missing-file',
    `${nameOf(file)} has another size than the ${file.size} bytes recorded${size > file.size ? '' : `: ${size}`}`,
  );
}

/** Opens or reads the stored file, which may be missing, a link or a pipe by now. */
async function orMissing<T>(file: StoredInput, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isMissing =
      error instanceof AppError && (error.code === 'FILE_NOT_FOUND' || error.code === 'PATH_NOT_ALLOWED');
    if (!isMissing) throw error;
    throw new TaskFailure('missing-file', `${nameOf(file)} is missing: ${error.message}`);
  }
}

function nameOf({ fileId, path, workspaceName }: StoredInput): string {
  return `the file '${path}' (${fileId}) of the workspace '${workspaceName}'`;
}

export function workspaceOf({ launch }: TaskSpec, uuid: string): WorkspaceRef {
  const found = launch.workspaces.find((workspace) => workspace.uuid === uuid);
  if (found === undefined) throw new TaskFailure('unknown', `the launch names no workspace ${uuid}`);
  return found;
}
