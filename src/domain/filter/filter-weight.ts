/**
 * An upper bound of the work of evaluating a filter, so that only cheap filters are evaluated on the calling thread.
 * Counted in comparisons of values, some 10 to 100 ns each, from the filter and the sizes of its data.
 */
import type { Json } from '../document/json-value.ts';
import { type DataFilter, EMPTY_FILTER } from './filter.ts';
import type { FilterData } from './filter-evaluate.ts';

interface Task {
  readonly filter: DataFilter;
  readonly data: FilterData;
}

/** The properties that the weight of an evaluation depends on. */
interface FilterShape {
  /** The entries, and the values that they compare with. */
  readonly values: number;
  /** See FEW_VALUES. */
  readonly isSmall: boolean;
  /** Parameters whose files are checked by name or media type. */
  readonly files: readonly string[];
  /** Parameters whose files are checked by data types or meta-data: the cost grows with the size of these. */
  readonly walkedFiles: readonly string[];
  /** Parameters whose JSON values are checked at a cost that grows with their size. */
  readonly walked: readonly string[];
}

/** limit: comparisons on the calling thread at once, which take 1 or 2 ms. Weighing stops there. */
const LIGHT_MAX = 20_000;
/**
 * A filter with so few values, all compared in one step, does not weigh more for many files: sending their facts to a
 * thread (0.5 us each) takes longer than comparing them here. Weighing them as well took 12% of the time.
 */
const FEW_VALUES = 16;
/** 2 to this power: the number of characters that are searched or compared in the time of one value. */
const CHARACTERS_SHIFT = 8;

/** limit: comparisons of one evaluation in a turn that makes one for each of many files. */
export const LIGHT_OF_MANY_MAX = 500;

/** Whether the evaluations are cheap enough for the calling thread: at most so many comparisons. */
export function areLight(tasks: readonly Task[], most = LIGHT_MAX): boolean {
  let weight = 0;
  let [known, shape] = [EMPTY_FILTER, EMPTY_SHAPE];
  for (const { filter, data } of tasks) {
    if (filter !== known) [known, shape] = [filter, shapeOf(filter)];
    weight += weightOf(shape, data);
    if (weight > most) return false;
  }
  return true;
}

function shapeOf(filter: DataFilter): FilterShape {
  let values = 0;
  const [files, walkedFiles, walked] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const entry of filter.filters) {
    values += sizeOf(entry.values) + (entry.fields === undefined ? 0 : sizeOf(entry.fields));
    const { type, name } = entry;
    if (type === 'filename' || type === 'media-type') files.add(name);
    else if (type === 'data-type' || type === 'meta-data') walkedFiles.add(name);
    else if (type === 'object' || entry.condition === 'contains') walked.add(name);
    if (values > LIGHT_MAX) break;
  }
  const isSmall = values <= FEW_VALUES && walkedFiles.size + walked.size === 0;
  return { values, isSmall, files: [...files], walkedFiles: [...walkedFiles], walked: [...walked] };
}

const EMPTY_SHAPE = shapeOf(EMPTY_FILTER);

/** Comparisons, at most; weights beyond LIGHT_MAX are not distinguished. */
function weightOf(shape: FilterShape, data: FilterData): number {
  if (shape.isSmall) return shape.values;
  let things = 1;
  for (const name of shape.files) things += filesOf(data, name).length;
  things += sizeOfWalked(shape, data);
  return shape.values * things;
}

const NO_FILES: FilterData['files'][string] = [];

/** The files of a parameter; names of inherited members give none. */
function filesOf({ files }: FilterData, name: string): FilterData['files'][string] {
  const list: unknown = files[name];
  return Array.isArray(list) ? list : NO_FILES;
}

function sizeOfWalked({ walkedFiles, walked }: FilterShape, data: FilterData): number {
  let size = 0;
  for (const name of walkedFiles) {
    for (const file of filesOf(data, name)) {
      size += file.dataTypes.length + sizeOf(file.metaData);
      if (size > LIGHT_MAX) return size;
    }
  }
  for (const name of walked) size += Object.hasOwn(data.json, name) ? sizeOf(data.json[name] ?? null) : 1;
  return size;
}

/** The values in a document, containers included; a long text counts more than one. */
function sizeOf(json: Json): number {
  if (typeof json === 'string') return 1 + (json.length >> CHARACTERS_SHIFT);
  if (typeof json !== 'object' || json === null) return 1;
  let size = 1;
  for (const item of Array.isArray(json) ? (json as readonly Json[]) : Object.values(json)) {
    size += sizeOf(item);
    if (size > LIGHT_MAX) break;
  }
  return size;
}
