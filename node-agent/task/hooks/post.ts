/**
 * After the main task: finds its outputs, checks them against the manifest and stores the products. Repeatable: a
 * product that an earlier run stored is found again under its path. No process of the task runs any more when this
 * begins.
 */
import { basename } from 'node:path';
import pLimit from 'p-limit';
import type { OutputFile } from '../../../src/domain/manifest/manifest.ts';
import { mediaTypeOf } from '../../../src/domain/media-type.ts';
import type { ParsedInput, StoredOutput } from '../../../src/domain/node/agent-messages.ts';
import type { Launch, OutputTarget } from '../../../src/domain/node/coordinator-messages.ts';
import { baseName, joinWithin } from '../../../src/domain/paths.ts';
import type { Logger } from '../../../src/observe/log.ts';
import type { Broker } from '../../../src/storage/broker.ts';
import { contentOf } from '../../../src/storage/content.ts';
import { type FileFacts, toFacts } from '../../../src/storage/file-facts.ts';
import type { Folder } from '../../../src/storage/folder.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';
import { type Clock, pause } from '../../clock.ts';
import type { DocumentReader, ReadSideCar } from '../../documents/document-reader.ts';
import type { Executor, TaskIdentity } from '../../executor/executor.ts';
import { fewAtOnce } from '../../few-at-once.ts';
import { inWorkspace, type Workspaces } from '../../workspaces.ts';
import { readJsonOutputs, readSideCar } from '../output-documents.ts';
import { type FoundOutputs, findOutputs } from '../output-glob.ts';
import {
  atOwnPath,
  type OwnPath,
  ownPlaceOf,
  type PathAsker,
  withdrawOwn,
  withTakenPath,
} from '../own-paths.ts';
import { TaskFailure } from '../task-failure.ts';
import type { TaskFolders } from '../task-folders.ts';
import type { TaskSpec } from '../task-spec.ts';
import { needsFolder, workspaceOf } from './pre.ts';

const SIDE_CAR = '.metadata.json';
/** Documents about outputs, wherever a path contains them: they are never products. */
const NOT_PRODUCTS = [SIDE_CAR, 'seed.outputs.json', 'results_manifest.json'];
// limit: bytes of the contents of all side-cars of one execution; the report must fit in one message.
const SIDE_CARS_BYTES_MAX = 8 * 1024 * 1024;
// limit: products of one execution that are stored, or removed, at once: each waits for its disk or bucket, and 16
// executions may do so concurrently.
const STORED_AT_ONCE = 4;
// limit: the pauses between attempts to remove a product that no record names; together they are longer than most
// restarts of a server.
const REMOVAL_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
/** A server usually executes a request that it has received within this time. */
const LATE_PUT_MS = 2_000;

export interface PostRequest {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly paths: PathAsker;
  readonly folders: Pick<TaskFolders, 'isEmpty'>;
  readonly documents: DocumentReader;
  readonly log: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface TaskProducts {
  readonly outputs: readonly StoredOutput[];
  /** Text of an object: values by output name. */
  readonly jsonOutputs: string;
  readonly parsedInputs: readonly ParsedInput[];
}

/** The result for a task that has left nothing. */
const NOTHING_FOUND: FoundOutputs = { paths: [], refusedCount: 0 };

interface Found {
  readonly output: OutputFile;
  /** Below the output directory. */
  readonly path: string;
  /** Its path in its workspace. */
  readonly place: string;
}

/** A product whose storing failed with an unknown result. */
interface Uncertain {
  readonly broker: Broker;
  readonly path: string;
  /** The id of the work that stores this product, which objects in buckets carry. */
  readonly id: string;
}

/** Throws TaskFailure, or an AppError of a broker; products stored until then are removed again. */
export async function captureOutputs(request: PostRequest): Promise<TaskProducts> {
  const { executor, spec, task, folders } = request;
  const { executionId, folder } = task;
  const isEmpty =
    !needsFolder(executor, spec.launch) || (await folders.isEmpty(executionId, basename(folder.output)));
  if (isEmpty) return capture(request, undefined);
  return inOutput(request, (output) => capture(request, output));
}

/**
 * Removes products at paths that do not name their execution, which an earlier run of the agent stored for a failed
 * one.
 */
export async function withdrawEarlier(request: PostRequest): Promise<void> {
  await inOutput(request, async (output) => {
    const found = await findProducts(request, request.spec.manifest.job.interface.outputs.files, output);
    await fewAtOnce(found, STORED_AT_ONCE, async (item) => withdrawOwn(await ownPathOf(request, item)));
  });
}

async function inOutput<T>({ task }: PostRequest, work: (output: Folder) => Promise<T>): Promise<T> {
  const root = new LocalRoot(task.folder.root);
  return root.within('', async (folder) => {
    const output = await folder.enter(basename(task.folder.output)).catch((error: unknown) => {
      const detail = 'the output directory was removed or replaced';
      throw new TaskFailure('invalid-results-manifest', detail, { cause: error });
    });
    return work(output).finally(() => output.close());
  });
}

async function ownPathOf(request: PostRequest, { output, place: path }: Found): Promise<OwnPath> {
  const { spec, task, paths, workspaces, signal } = request;
  const { uuid: workspaceUuid, name: workspaceName } = workspaceOf(
    spec,
    targetOf(request, output).workspaceUuid,
  );
  const broker = await workspaces.reached(workspaceOf(spec, workspaceUuid));
  return { paths, broker, executionId: task.executionId, workspaceUuid, workspaceName, path, signal };
}

function targetOf({ spec }: PostRequest, { name }: OutputFile): OutputTarget {
  const target = spec.launch.outputs.find((candidate) => candidate.output === name);
  if (target === undefined) throw new TaskFailure('unknown', `the output ${name} has no workspace`);
  return target;
}

async function capture(request: PostRequest, output: Folder | undefined): Promise<TaskProducts> {
  const declared = request.spec.manifest.job.interface.outputs;
  // Everything is checked before anything is stored.
  const found = await findProducts(request, declared.files, output);
  const jsonOutputs = await readJsonOutputs(output, declared.json, request.documents);
  const budget = { left: SIDE_CARS_BYTES_MAX };
  if (output === undefined) return { outputs: [], jsonOutputs, parsedInputs: [] };
  const parsedInputs = await readParsedInputs(request, output, budget);
  const outputs = await storeProducts(request, output, found, budget);
  return { outputs, jsonOutputs, parsedInputs };
}

/** In the order of `found`. */
async function storeProducts(
  request: PostRequest,
  output: Folder,
  found: readonly Found[],
  budget: Budget,
): Promise<StoredOutput[]> {
  // One at a time and in order: which side-car exceeds the limit must not depend on timing.
  const sideCars = pLimit(1);
  const stored: StoredOutput[] = [];
  const uncertain: Uncertain[] = [];
  try {
    await fewAtOnce(found, STORED_AT_ONCE, async (item, index) => {
      request.signal.throwIfAborted();
      const { path } = item;
      const name = `${baseName(path)}${SIDE_CAR}`;
      const sideCar = await sideCars(() =>
        beside(output, path, (folder) => readNoted(request, folder, name, budget, { path })),
      );
      stored[index] = await beside(output, path, (folder) =>
        storeProduct(request, folder, item, index, sideCar, uncertain),
      );
    });
  } catch (error) {
    // Some may be missing, because later ones may have finished earlier.
    await discardProducts(
      request,
      stored.filter((one) => one !== undefined),
    );
    await withdrawProducts(request, uncertain);
    throw error;
  }
  return stored;
}

/** Runs `work` in the directory below `output` that contains the file at `path`. */
async function beside<T>(output: Folder, path: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  const slash = path.indexOf('/');
  if (slash < 0) return work(output);
  const inner = await output.enter(path.slice(0, slash));
  return beside(inner, path.slice(slash + 1), work).finally(() => inner.close());
}

async function findProducts(
  { spec, task, executor, log }: PostRequest,
  declared: readonly OutputFile[],
  folder: Folder | undefined,
): Promise<Found[]> {
  const patterns = declared.map(({ pattern }) => pattern);
  // A hard link to another user's file would be stored with the agent's rights.
  const isOwn = (facts: FileFacts): boolean => executor.owns(task, facts);
  const all = folder ? await findOutputs(folder, patterns, isOwn, isProduct) : NOTHING_FOUND;
  if (all.refusedCount > 0) {
    const fields = { executionId: task.executionId, count: all.refusedCount };
    log.warn('outputs_not_of_task', fields);
  }
  const taken = new Set<string>();
  return declared.flatMap((output, index) => {
    const paths = all.paths[index] ?? [];
    checkCount(output, paths.length);
    return paths.map((path): Found => {
      return { output, path, place: placeOf(output, path, spec.launch, taken) };
    });
  });
}

function isProduct(path: string): boolean {
  return !NOT_PRODUCTS.some((part) => path.includes(part));
}

function checkCount({ name, pattern, required, multiple }: OutputFile, count: number): void {
  if (count === 0 && required)
    throw new TaskFailure('missing-required-output', `no file matches ${pattern} of output ${name}`);
  if (count > 1 && !multiple) {
    const detail = `${count} files match ${pattern} of output ${name}`;
    throw new TaskFailure('unexpected-multiple-outputs', detail);
  }
}

/** Its own path; a file of several outputs is stored under the name of each further output. */
function placeOf(output: OutputFile, relativePath: string, launch: Launch, taken: Set<string>): string {
  if (launch.ownProductPaths === true) return ownPlaceOf(output, relativePath, launch, taken);
  const { productDirectory } = launch;
  let place = relativePath;
  while (taken.has(place)) place = `${output.name}/${place}`;
  taken.add(place);
  const path = joinWithin('', productDirectory, place);
  if (path !== undefined) return path;
  throw new TaskFailure(
    'invalid-results-manifest',
    `an output file of ${output.name} has a path that cannot be stored`,
  );
}

async function storeProduct(
  request: PostRequest,
  folder: Folder,
  item: Found,
  index: number,
  sideCar: ReadSideCar,
  uncertain: Uncertain[],
): Promise<StoredOutput> {
  const { output, path, place } = item;
  const { spec, task, workspaces, signal } = request;
  const target = targetOf(request, output);
  const name = baseName(path);
  const workspace = workspaceOf(spec, target.workspaceUuid);
  const broker = await inWorkspace(workspace, () => workspaces.reached(workspace));
  const own = spec.launch.ownProductPaths ? await ownPathOf(request, item) : undefined;
  const options = { id: `${task.executionId}-${index}`, signal, ...(own && atOwnPath(own)) };
  const file = await folder.openRead(name);
  try {
    const facts = toFacts(await file.stat({ bigint: true }));
    if (!request.executor.owns(task, facts)) throw changed(output);
    const content = contentOf(file, facts.size);
    const stored = await inWorkspace(workspace, () => broker.store(content, place, options)).catch(
      (error) => {
        if (broker.local === undefined) uncertain.push({ broker, path: place, id: options.id });
        throw own === undefined ? error : withTakenPath(error, own);
      },
    );
    return {
      output: output.name,
      workspaceUuid: target.workspaceUuid,
      path: stored.path,
      fileName: name,
      size: stored.size,
      mediaType: output.mediaType ?? mediaTypeOf(path),
      sha256: stored.sha256,
      metadata: sideCar.feature,
      ...(sideCar.footprint && { footprint: sideCar.footprint }),
      ...(stored.proof !== undefined && { proof: stored.proof }),
    };
  } finally {
    await file.close();
  }
}

function changed({ name }: OutputFile): TaskFailure {
  return new TaskFailure('invalid-results-manifest', `a file of the output ${name} was changed meanwhile`);
}

interface Budget {
  left: number;
}

/** Reads a side-car; ignored parts are logged under `subject`. */
async function readNoted(
  { task, documents, log }: PostRequest,
  folder: Folder,
  name: string,
  budget: Budget,
  subject: Readonly<Record<string, string>>,
): Promise<ReadSideCar> {
  let read = await readSideCar(folder, name, documents);
  const length = Buffer.byteLength(read.feature) + (read.footprint?.geometry.length ?? 0);
  if (length > budget.left) {
    read = { feature: '', warning: `would bring all side-cars above ${SIDE_CARS_BYTES_MAX} bytes` };
  } else budget.left -= length;
  if (read.warning !== undefined) {
    const reason = `it ${read.warning}`;
    log.warn('side_car_left_out', { executionId: task.executionId, ...subject, reason });
  }
  return read;
}

/** Side-cars about inputs: `<input name>.metadata.json`, for single source files only. */
async function readParsedInputs(
  request: PostRequest,
  output: Folder,
  budget: Budget,
): Promise<ParsedInput[]> {
  const { spec, task, log } = request;
  const parsed: ParsedInput[] = [];
  for (const { name, multiple, files } of spec.launch.inputs) {
    const subject = { input: name };
    const { feature, footprint } = await readNoted(request, output, `${name}${SIDE_CAR}`, budget, subject);
    if (feature === '') continue;
    const [file] = files;
    if (multiple || file?.isSource !== true) {
      const reason = 'the input is not a single source file';
      log.warn('input_side_car_left_out', { executionId: task.executionId, input: name, reason });
    } else
      parsed.push({ input: name, fileId: file.fileId, metadata: feature, ...(footprint && { footprint }) });
  }
  return parsed;
}

type Removing = Pick<PostRequest, 'spec' | 'task' | 'workspaces' | 'log' | 'clock'> & {
  readonly signal?: AbortSignal;
};

/** Removes products that will not be registered. */
export async function discardProducts(request: Removing, outputs: readonly StoredOutput[]): Promise<void> {
  await removeProducts(request, outputs, async ({ workspaceUuid, path, proof }) => {
    const broker = await request.workspaces.reached(workspaceOf(request.spec, workspaceUuid));
    if (proof === undefined) await broker.remove(path);
    else await broker.withdraw(path, proof);
  });
}

/** Removes products twice, because a bucket may store a product whose answer was lost, even a little later. */
async function withdrawProducts(request: PostRequest, uncertain: readonly Uncertain[]): Promise<void> {
  if (uncertain.length === 0) return;
  const withdraw = () =>
    removeProducts(request, uncertain, ({ broker, path, id }) => broker.abandon(path, id, true));
  await withdraw();
  await pause(request.clock, LATE_PUT_MS, request.signal);
  await withdraw();
}

/**
 * Tries for a while, unless the task is being stopped; the first failure ends a try. Files that cannot be removed are
 * logged.
 */
async function removeProducts<T extends { readonly path: string }>(
  { task, log, clock, signal }: Removing,
  products: readonly T[],
  remove: (product: T) => Promise<void>,
): Promise<void> {
  const left = new Set(products);
  const removeLeft = (onFailure: (error: unknown, product: T) => void): Promise<void> =>
    fewAtOnce([...left], STORED_AT_ONCE, async (product) => {
      try {
        await remove(product);
        left.delete(product);
      } catch (error) {
        onFailure(error, product);
      }
    });
  for (const delayMs of REMOVAL_PAUSES_MS) {
    if (signal?.aborted === true) break;
    try {
      return await removeLeft((error) => {
        throw error;
      });
    } catch {
      await pause(clock, delayMs, signal);
    }
  }
  await removeLeft((error, { path }) => {
    log.warn('void_product_not_removed', { executionId: task.executionId, path, error });
  });
}
