/** The products of a completed execution: their records, and the job's output that refers to them. */
import { createHash } from 'node:crypto';
import type { FileInfo, NewProduct } from '../file/file.ts';
import type { DataDocument, JobState, SourceInfo } from '../job/job.ts';
import { greatest, inputFilesOf, least, manifestOf } from '../job/queueing.ts';
import { mediaTypeOf } from '../media-type.ts';
import type { JobTypeRevision } from '../recipe/type-revisions.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import { dataSpanOf, instantOf, type Properties, propertiesOf, textOf } from './side-car.ts';
import type { StoredOutput, TaskResult } from './task-result.ts';

export interface Production {
  readonly result: TaskResult;
  readonly job: JobState;
  readonly revision: JobTypeRevision;
  /** The type of the recipe that holds the job; null without one. */
  readonly recipeTypeId: number | null;
  /** Contains every file of the job's input. */
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
  readonly nowMs: number;
  newId(idKind: string): number;
}

export interface Produced {
  readonly products: readonly NewProduct[];
  /** The same files as inputs of the next jobs, without those in workspaces that are unknown here. */
  readonly files: readonly FileInfo[];
  readonly output: DataDocument;
}

export function produce(from: Production): Produced {
  const { result, job } = from;
  const inputs = job.input === null ? [] : inputFilesOf(job.input, from.files);
  const inputFileIds = [...new Set(inputs.map((file) => file.id))];
  const products: NewProduct[] = [];
  const files: FileInfo[] = [];
  const byOutput = new Map<string, number[]>();
  for (const stored of result.outputs) {
    const product = productOf(from, stored, inputs, inputFileIds);
    products.push(product);
    const workspaceId = from.workspaces.byUuid.get(stored.workspaceUuid);
    if (workspaceId !== undefined) files.push(fileInfoOf(product, workspaceId));
    const ids = byOutput.get(stored.output);
    if (ids === undefined) byOutput.set(stored.output, [product.id]);
    else ids.push(product.id);
  }
  return { products, files, output: { files: Object.fromEntries(byOutput), json: result.jsonOutputs } };
}

function productOf(
  from: Production,
  stored: StoredOutput,
  inputs: readonly FileInfo[],
  inputFileIds: readonly number[],
): NewProduct {
  const { job, revision } = from;
  const { job: manifest } = manifestOf(revision);
  const properties = propertiesOf(stored.metadata);
  const data = dataSpanOf(properties);
  return {
    id: from.newId('file'),
    uuid: productUuid(from, stored, inputs),
    fileName: stored.fileName,
    // Agents of earlier versions report none if the manifest declares none.
    mediaType: stored.mediaType || mediaTypeOf(stored.fileName),
    size: stored.size,
    sha256: stored.sha256,
    workspaceUuid: stored.workspaceUuid,
    filePath: stored.path,
    jobId: job.id,
    executionId: from.result.executionId,
    jobTypeId: job.jobTypeId,
    jobOutput: stored.output,
    recipeId: job.recipeId,
    recipeNode: job.recipeNode,
    recipeTypeId: from.recipeTypeId,
    batchId: job.batchId,
    inputFileIds,
    metadata: {
      ...properties,
      job_name: revision.jobTypeName,
      job_version: revision.jobTypeVersion,
      package_version: manifest.packageVersion,
    },
    footprint: stored.footprint ?? null,
    dataStartedMs: data.startedMs,
    dataEndedMs: data.endedMs,
    ...sourceOf(job.source, properties, inputs),
    atMs: from.nowMs,
  };
}

type ProductSource = Pick<
  NewProduct,
  | 'sourceStartedMs'
  | 'sourceEndedMs'
  | 'sourceSensorClass'
  | 'sourceSensor'
  | 'sourceCollection'
  | 'sourceTask'
>;

/** The side-car's values take precedence over those of the job's input. */
function sourceOf(
  inherited: SourceInfo | null,
  properties: Properties,
  inputs: readonly FileInfo[],
): ProductSource {
  const startedMs = inherited?.startedMs ?? least(inputs.map((file) => file.dataStartedMs));
  const endedMs = inherited?.endedMs ?? greatest(inputs.map((file) => file.sourceEndedMs));
  return {
    sourceStartedMs: instantOf(properties.sourceStarted) ?? startedMs,
    sourceEndedMs: instantOf(properties.sourceEnded) ?? endedMs,
    sourceSensorClass: textOf(properties.sourceSensorClass) ?? inherited?.sensorClass ?? null,
    sourceSensor: textOf(properties.sourceSensor) ?? inherited?.sensor ?? null,
    sourceCollection: textOf(properties.sourceCollection) ?? inherited?.collection ?? null,
    sourceTask: textOf(properties.sourceTask) ?? inherited?.task ?? null,
  };
}

/**
 * Identifies a product independently of its execution: the same job type with the same input gives the same uuid, and
 * the newer product then replaces the older. Output and path distinguish files of one name.
 */
function productUuid(from: Production, stored: StoredOutput, inputs: readonly FileInfo[]): string {
  const json = Object.entries(from.job.input?.json ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, canonical(value)]);
  const place = stored.path.split(`/job_exe_${from.result.executionId}/`).at(-1);
  const uuids = inputs.map((file) => file.uuid).sort();
  const spec = JSON.stringify([from.job.jobTypeId, stored.output, place, stored.fileName, uuids, json]);
  const hex = createHash('sha256').update(spec).digest('hex');
  // RFC 9562, version 8: a custom scheme.
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** JSON with sorted members, because a row may return them in another order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, canonical(member)]));
}

function fileInfoOf(product: NewProduct, workspaceId: number): FileInfo {
  return {
    id: product.id,
    uuid: product.uuid,
    fileType: 'PRODUCT',
    fileName: product.fileName,
    mediaType: product.mediaType,
    size: product.size,
    tags: [],
    workspaceId,
    isDeleted: false,
    sourceStartedMs: product.sourceStartedMs,
    sourceEndedMs: product.sourceEndedMs,
    dataStartedMs: product.dataStartedMs,
    sourceSensorClass: product.sourceSensorClass,
    sourceSensor: product.sourceSensor,
    sourceCollection: product.sourceCollection,
    sourceTask: product.sourceTask,
  };
}
