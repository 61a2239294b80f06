/**
 * What a job reports about its source file: the time of its data, its place on Earth, its data types. The file is
 * parsed from then on, and its descendants inherit these values.
 */
import { storableText } from '../document/json-value.ts';
import type { Footprint } from '../geometry/footprint.ts';
import type { JobState } from '../job/job.ts';
import { inputFilesOf, sourceOf } from '../job/queueing.ts';
import { dataSpanOf, type Properties, propertiesOf, textOf } from '../task/side-car.ts';
import type { TaskResult } from '../task/task-result.ts';
import type { FileInfo } from './file.ts';

/** One source file after the report. Null fields were not reported: the known values are kept. */
export interface ParsedSource {
  readonly fileId: number;
  /** The job that reports. Its row and those of its recipes take over the times. */
  readonly jobId: number;
  /** Own recipe first, root last; empty without a recipe. */
  readonly recipeIds: readonly number[];
  /** Either both are known or neither. */
  readonly dataStartedMs: number | null;
  readonly dataEndedMs: number | null;
  readonly sensorClass: string | null;
  readonly sensor: string | null;
  readonly collection: string | null;
  readonly task: string | null;
  /** Tags to add. */
  readonly tags: readonly string[];
  readonly metadata: Properties;
  /** Null: none was reported, and the known place is kept. */
  readonly footprint: Footprint | null;
  readonly atMs: number;
}

// limit: tags that one report adds, and the length of each.
const TAGS_MAX = 100;
const TAG_LENGTH_MAX = 250;

/**
 * What a completed execution reports about its source inputs. Reports about anything but the single source file of an
 * input of the job are ignored.
 */
export function parsedSourcesOf(
  result: TaskResult,
  job: JobState,
  files: ReadonlyMap<number, FileInfo>,
  atMs: number,
): ParsedSource[] {
  const found = new Map<number, ParsedSource>();
  for (const { input, fileId, metadata, footprint } of result.parsedInputs) {
    const given = Object.hasOwn(job.input?.files ?? {}, input) ? job.input?.files[input] : undefined;
    if (given?.length !== 1 || given[0] !== fileId || files.get(fileId)?.fileType !== 'SOURCE') continue;
    const properties = propertiesOf(metadata);
    const span = dataSpanOf(properties);
    found.set(fileId, {
      ...{ fileId, jobId: job.id, recipeIds: job.recipeIds },
      ...{ dataStartedMs: span.startedMs, dataEndedMs: span.endedMs },
      sensorClass: textOf(properties.sourceSensorClass),
      sensor: textOf(properties.sourceSensor),
      collection: textOf(properties.sourceCollection),
      task: textOf(properties.sourceTask),
      tags: tagsOf(properties.dataTypes),
      ...{ metadata: properties, footprint: footprint ?? null, atMs },
    });
  }
  return [...found.values()];
}

function tagsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.flatMap((tag) => storableText(tag) ?? []);
  return [...new Set(texts.filter((tag) => tag !== '' && tag.length <= TAG_LENGTH_MAX))].slice(0, TAGS_MAX);
}

/** The file with the reported values. */
export function asParsed(file: FileInfo, parsed: ParsedSource): FileInfo {
  return {
    ...file,
    tags: [...new Set([...file.tags, ...parsed.tags])],
    dataStartedMs: parsed.dataStartedMs,
    sourceStartedMs: parsed.dataStartedMs,
    sourceEndedMs: parsed.dataEndedMs,
    sourceSensorClass: parsed.sensorClass ?? file.sourceSensorClass,
    sourceSensor: parsed.sensor ?? file.sourceSensor,
    sourceCollection: parsed.collection ?? file.sourceCollection,
    sourceTask: parsed.task ?? file.sourceTask,
  };
}

/** Applies reports to the state of an owner: its files, and the source of the job. */
export function rememberParsed(
  parsed: readonly ParsedSource[],
  job: JobState,
  files: Map<number, FileInfo>,
): void {
  for (const one of parsed) {
    const file = files.get(one.fileId);
    if (file !== undefined) files.set(one.fileId, asParsed(file, one));
  }
  if (parsed.length > 0 && job.input !== null) job.source = sourceOf(inputFilesOf(job.input, files));
}
