/**
 * After the main task: finds what it left, checks it against the manifest and stores the products.
 * Repeatable: a product that an earlier run stored is found again under its path. Nothing of the task runs
 * any more when this begins.
 */
import { link, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputFile } from '../../../src/domain/manifest/manifest.ts';
import { DEFAULT_OUTPUT_MEDIA_TYPE } from '../../../src/domain/manifest/manifest.ts';
import { mediaTypeOf } from '../../../src/domain/media-type.ts';
import type { ParsedInput, StoredOutput } from '../../../src/domain/node/agent-messages.ts';
import { baseName, joinWithin, needsBytes } from '../../../src/domain/paths.ts';
import type { Logger } from '../../../src/observe/log.ts';
import type { Executor, TaskIdentity } from '../../executor/executor.ts';
import type { Workspaces } from '../../workspaces.ts';
import { readJsonOutputs, readSideCar } from '../output-documents.ts';
import { globOutput, type OutputEntry } from '../output-glob.ts';
import { TaskFailure } from '../task-failure.ts';
import type { TaskSpec } from '../task-spec.ts';
import { workspaceOf } from './pre.ts';

const SIDE_CAR = '.metadata.json';
/** Documents about outputs, wherever a path mentions them: never products. */
const NOT_PRODUCTS = [SIDE_CAR, 'seed.outputs.json', 'results_manifest.json'];
// limit: products of one execution.
const PRODUCTS_MAX = 100_000;

export interface PostRequest {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface TaskProducts {
  readonly outputs: readonly StoredOutput[];
  readonly jsonOutputs: Readonly<Record<string, unknown>>;
  readonly parsedInputs: readonly ParsedInput[];
}

interface Found {
  readonly output: OutputFile;
  readonly entry: OutputEntry;
}

/** Throws TaskFailure, or an AppError of a broker; what was stored until then is removed again. */
export async function captureOutputs(request: PostRequest): Promise<TaskProducts> {
  const { spec, task } = request;
  const declared = spec.manifest.job.interface.outputs;
  // Everything is checked before anything is stored.
  const found: Found[] = [];
  for (const output of declared.files) found.push(...(await findOutput(request, output)));
  if (found.length > PRODUCTS_MAX) {
    throw new TaskFailure('invalid-results-manifest', `more than ${PRODUCTS_MAX} output files`);
  }
  const jsonOutputs = await readJsonOutputs(task.folder.output, declared.json);
  const parsedInputs = await readParsedInputs(request);
  const outputs: StoredOutput[] = [];
  try {
    for (const [index, item] of found.entries()) {
      request.signal.throwIfAborted();
      outputs.push(await storeProduct(request, item, index));
    }
  } catch (error) {
    await discardProducts(request, outputs);
    throw error;
  }
  return { outputs, jsonOutputs, parsedInputs };
}

async function findOutput(request: PostRequest, output: OutputFile): Promise<Found[]> {
  const { task, executor, log } = request;
  const entries: OutputEntry[] = [];
  for (const entry of await globOutput(task.folder.output, output.pattern)) {
    if (NOT_PRODUCTS.some((part) => entry.path.includes(part))) continue;
    // A hard link to somebody else's file would be stored with the agent's rights.
    if (executor.owns(task, await lstat(entry.bytes))) entries.push(entry);
    else
      log.warn('output is not the task’s own file', { executionId: task.executionId, output: output.name });
  }
  if (entries.length === 0 && output.required) {
    throw new TaskFailure(
      'missing-required-output',
      `no file matches ${output.pattern} of output ${output.name}`,
    );
  }
  if (entries.length > 1 && !output.multiple) {
    const detail = `${entries.length} files match ${output.pattern} of output ${output.name}`;
    throw new TaskFailure('unexpected-multiple-outputs', detail);
  }
  return entries.map((entry) => ({ output, entry }));
}

async function storeProduct(
  request: PostRequest,
  { output, entry }: Found,
  index: number,
): Promise<StoredOutput> {
  const { spec, task, workspaces, log } = request;
  const target = spec.launch.outputs.find((candidate) => candidate.output === output.name);
  if (target === undefined) throw new TaskFailure('unknown', `the output ${output.name} has no workspace`);
  const path = joinWithin('', spec.launch.productDirectory, entry.path);
  if (path === undefined) {
    throw new TaskFailure(
      'invalid-results-manifest',
      `an output file of ${output.name} has a path that cannot be stored`,
    );
  }
  const sideCar = await readSideCar(Buffer.concat([entry.bytes, Buffer.from(SIDE_CAR)]));
  if (sideCar.warning !== undefined) {
    log.warn('side-car left out', {
      executionId: task.executionId,
      path: entry.path,
      reason: sideCar.warning,
    });
  }
  const broker = workspaces.open(workspaceOf(spec, target.workspaceUuid));
  const local = await textPath(task, entry, index);
  const options = { id: `${task.executionId}-${index}`, signal: request.signal };
  const stored = await broker.store(local, path, options);
  return {
    output: output.name,
    workspaceUuid: target.workspaceUuid,
    path: stored.path,
    fileName: baseName(entry.path),
    size: stored.size,
    mediaType: output.mediaType === DEFAULT_OUTPUT_MEDIA_TYPE ? mediaTypeOf(entry.path) : output.mediaType,
    sha256: stored.sha256,
    metadata: sideCar.feature,
  };
}

/** A path that text can spell: a name with bytes that are no UTF-8 gets a second, plain one. */
async function textPath(task: TaskIdentity, entry: OutputEntry, index: number): Promise<string> {
  if (!needsBytes(entry.path)) return entry.bytes.toString('utf8');
  const plain = join(task.folder.root, `output-${index}`);
  await rm(plain, { force: true });
  await link(entry.bytes, plain);
  return plain;
}

/** Side-cars about inputs: `<input name>.metadata.json`, for single source files only. */
async function readParsedInputs({ spec, task, log }: PostRequest): Promise<ParsedInput[]> {
  const parsed: ParsedInput[] = [];
  for (const { name, multiple, files } of spec.launch.inputs) {
    const { feature, warning } = await readSideCar(join(task.folder.output, `${name}${SIDE_CAR}`));
    const [file] = files;
    if (warning !== undefined || (feature !== '' && (multiple || file?.isSource !== true))) {
      const reason = warning ?? 'the input is no single source file';
      log.warn('side-car of an input left out', { executionId: task.executionId, input: name, reason });
    } else if (feature !== '' && file !== undefined) {
      parsed.push({ input: name, fileId: file.fileId, metadata: feature });
    }
  }
  return parsed;
}

/**
 * Removes products that nobody will register. What cannot be removed is logged: a file too many, not one too
 * few.
 */
export async function discardProducts(
  { spec, task, workspaces, log }: Pick<PostRequest, 'spec' | 'task' | 'workspaces' | 'log'>,
  outputs: readonly StoredOutput[],
): Promise<void> {
  for (const { workspaceUuid, path } of outputs) {
    try {
      await workspaces.open(workspaceOf(spec, workspaceUuid)).remove(path);
    } catch (error) {
      log.warn('product of a void execution stays', { executionId: task.executionId, path, error });
    }
  }
}
