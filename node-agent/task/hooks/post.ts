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
import type { ReadSideCar, SideCarReader } from '../../side-car/side-cars.ts';
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
// limit: what side-cars of one execution say in all, as text; the report must fit into one message.
const SIDE_CARS_LENGTH_MAX = 8 * 1024 * 1024;

export interface PostRequest {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly sideCars: SideCarReader;
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
  /** Where it is stored, in its workspace. */
  readonly place: string;
}

/** Throws TaskFailure, or an AppError of a broker; what was stored until then is removed again. */
export async function captureOutputs(request: PostRequest): Promise<TaskProducts> {
  const { spec, task } = request;
  const declared = spec.manifest.job.interface.outputs;
  // Everything is checked before anything is stored.
  const found: Found[] = [];
  const taken = new Set<string>();
  for (const output of declared.files) {
    for (const entry of await findOutput(request, output)) {
      const place = placeOf(output, entry, spec.launch.productDirectory, taken);
      found.push({ output, entry, place });
    }
  }
  if (found.length > PRODUCTS_MAX) {
    throw new TaskFailure('invalid-results-manifest', `more than ${PRODUCTS_MAX} output files`);
  }
  const jsonOutputs = await readJsonOutputs(task.folder.output, declared.json);
  const budget = { left: SIDE_CARS_LENGTH_MAX };
  const parsedInputs = await readParsedInputs(request, budget);
  const outputs: StoredOutput[] = [];
  try {
    for (const [index, item] of found.entries()) {
      request.signal.throwIfAborted();
      outputs.push(await storeProduct(request, item, index, budget));
    }
  } catch (error) {
    await discardProducts(request, outputs);
    throw error;
  }
  return { outputs, jsonOutputs, parsedInputs };
}

/** Its own path; for a file that is of several outputs, under the name of each but the first. */
function placeOf(
  output: OutputFile,
  entry: OutputEntry,
  productDirectory: string,
  taken: Set<string>,
): string {
  let place = entry.path;
  while (taken.has(place)) place = `${output.name}/${place}`;
  taken.add(place);
  const path = joinWithin('', productDirectory, place);
  if (path !== undefined) return path;
  throw new TaskFailure(
    'invalid-results-manifest',
    `an output file of ${output.name} has a path that cannot be stored`,
  );
}

async function findOutput(request: PostRequest, output: OutputFile): Promise<readonly OutputEntry[]> {
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
  return entries;
}

async function storeProduct(
  request: PostRequest,
  { output, entry, place }: Found,
  index: number,
  budget: Budget,
): Promise<StoredOutput> {
  const { spec, task, workspaces } = request;
  const target = spec.launch.outputs.find((candidate) => candidate.output === output.name);
  if (target === undefined) throw new TaskFailure('unknown', `the output ${output.name} has no workspace`);
  const document = Buffer.concat([entry.bytes, Buffer.from(SIDE_CAR)]);
  const sideCar = await readNoted(request, document, budget, { path: entry.path });
  const broker = await workspaces.reached(workspaceOf(spec, target.workspaceUuid));
  const local = await textPath(task, entry, index);
  const options = { id: `${task.executionId}-${index}`, signal: request.signal };
  const stored = await broker.store(local, place, options);
  return {
    output: output.name,
    workspaceUuid: target.workspaceUuid,
    path: stored.path,
    fileName: baseName(entry.path),
    size: stored.size,
    mediaType: output.mediaType === DEFAULT_OUTPUT_MEDIA_TYPE ? mediaTypeOf(entry.path) : output.mediaType,
    sha256: stored.sha256,
    metadata: sideCar.feature,
    ...(sideCar.footprint && { footprint: sideCar.footprint }),
  };
}

interface Budget {
  left: number;
}

/** Reads a side-car; what had to be left out of it is logged under `subject`. */
async function readNoted(
  { task, sideCars, log }: PostRequest,
  path: string | Buffer,
  budget: Budget,
  subject: Readonly<Record<string, string>>,
): Promise<ReadSideCar> {
  let read = await readSideCar(path, sideCars);
  const length = read.feature.length + (read.footprint?.geometry.length ?? 0);
  if (length > budget.left) {
    read = { feature: '', warning: `would bring all side-cars above ${SIDE_CARS_LENGTH_MAX} characters` };
  } else budget.left -= length;
  if (read.warning !== undefined) {
    const reason = `it ${read.warning}`;
    log.warn('side-car left out, or a part of it', { executionId: task.executionId, ...subject, reason });
  }
  return read;
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
async function readParsedInputs(request: PostRequest, budget: Budget): Promise<ParsedInput[]> {
  const { spec, task, log } = request;
  const parsed: ParsedInput[] = [];
  for (const { name, multiple, files } of spec.launch.inputs) {
    const path = join(task.folder.output, `${name}${SIDE_CAR}`);
    const { feature, footprint } = await readNoted(request, path, budget, { input: name });
    if (feature === '') continue;
    const [file] = files;
    if (multiple || file?.isSource !== true) {
      const reason = 'the input is no single source file';
      log.warn('side-car of an input left out', { executionId: task.executionId, input: name, reason });
    } else
      parsed.push({ input: name, fileId: file.fileId, metadata: feature, ...(footprint && { footprint }) });
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
      const broker = await workspaces.reached(workspaceOf(spec, workspaceUuid));
      await broker.remove(path);
    } catch (error) {
      log.warn('product of a void execution stays', { executionId: task.executionId, path, error });
    }
  }
}
