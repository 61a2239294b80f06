/**
 * How much evaluating a filter can come to, so that little of it is done where it is asked for. Counted in comparisons
 * of values, some 10 to 100 ns each, from the filter and from no more of the data than its size.
 */
import type { Json } from '../document/json-value.ts';
import { type DataFilter, EMPTY_FILTER } from './filter.ts';
import type { FilterData } from './filter-evaluate.ts';

interface Task {
  readonly filter: DataFilter;
  readonly data: FilterData;
}

/** What the weight of an evaluation grows with. */
interface FilterShape {
  /** Entries, and what they compare with. */
  readonly values: number;
  /** See FEW_VALUES. */
  readonly isSmall: boolean;
  /** Parameters of which names or media types of files are looked at. */
  readonly files: readonly string[];
  /** Those of which labels or meta-data are: a look takes longer, the larger they are. */
  readonly walkedFiles: readonly string[];
  /** Those of which JSON values are that a look takes the longer for, the larger they are. */
  readonly walked: readonly string[];
}

/** limit: of what is evaluated on the calling thread in one go: 1 or 2 ms at most. Nothing is walked any further. */
const LIGHT_MAX = 20_000;
/**
 * A filter of so few values, all compared in one step, weighs no more for many files: their facts take longer to be
 * sent to a thread (0.5 us each) than to be compared here. Looking at them twice took 12% of the time.
 */
const FEW_VALUES = 16;
/** So many characters are searched or compared in the time of one value. */
const CHARACTERS_SHIFT = 8;

/** Whether tasks are so little work that they may be done where they are asked for. */
export function areLight(tasks: readonly Task[]): boolean {
  let weight = 0;
  let [known, shape] = [EMPTY_FILTER, EMPTY_SHAPE];
  for (const { filter, data } of tasks) {
    if (filter !== known) [known, shape] = [filter, shapeOf(filter)];
    weight += weightOf(shape, data);
    if (weight > LIGHT_MAX) return false;
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

/** Comparisons, at most; all beyond LIGHT_MAX are one. */
function weightOf(shape: FilterShape, data: FilterData): number {
  if (shape.isSmall) return shape.values;
  let things = 1;
  for (const name of shape.files) things += filesOf(data, name).length;
  things += sizeOfWalked(shape, data);
  return shape.values * things;
}

const NO_FILES: FilterData['files'][string] = [];

/** Names that every object has lead to no list. */
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

/** Values in a document, containers and long texts included. */
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
