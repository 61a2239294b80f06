/**
 * The filters of the lists of files, jobs and recipes, under the names of their parameters. Values of a list are
 * alternatives; all given filters must match.
 */

/** A range in milliseconds, both ends inclusive; an absent end does not restrict. */
export interface MsRange {
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
}

/** The origin of source data. */
export interface SensorFilter {
  readonly source_sensor_class: readonly string[];
  readonly source_sensor: readonly string[];
  readonly source_collection: readonly string[];
  readonly source_task: readonly string[];
}

/** Filters that lists of jobs and recipes share. `range` compares `last_modified`. */
export interface SourceFilter extends SensorFilter {
  readonly range: MsRange;
  readonly sourceRange: MsRange;
}

export interface JobFilter extends SourceFilter {
  readonly status: readonly string[];
  readonly job_id: readonly number[];
  readonly job_type_id: readonly number[];
  readonly job_type_name: readonly string[];
  readonly job_type_version: readonly string[];
  readonly batch_id: readonly number[];
  readonly recipe_id: readonly number[];
  readonly error_category: readonly string[];
  readonly error_id: readonly number[];
  /** Nodes that run the job now. */
  readonly running_node_id: readonly number[];
  readonly waits_for: readonly 'input'[];
  readonly is_superseded: boolean | undefined;
}

/** The states of recipes that are not complete. */
export const OPEN_STATES = ['FAILED', 'RUNNING', 'QUEUED', 'BLOCKED', 'CANCELED', 'PENDING'] as const;
export type OpenState = (typeof OPEN_STATES)[number];

export interface RecipeFilter extends SourceFilter {
  readonly recipe_id: readonly number[];
  readonly recipe_type_id: readonly number[];
  readonly recipe_type_name: readonly string[];
  readonly batch_id: readonly number[];
  readonly root_recipe_id: readonly number[];
  readonly state: readonly OpenState[];
  readonly is_superseded: boolean | undefined;
  readonly is_completed: boolean | undefined;
}

export const FILE_TYPES = ['SOURCE', 'PRODUCT'] as const;
export type FileType = (typeof FILE_TYPES)[number];

export interface FileFilter extends SensorFilter {
  readonly data: MsRange;
  readonly source: MsRange;
  readonly created: MsRange;
  readonly modified: MsRange;
  readonly job_output: readonly string[];
  readonly job_type_id: readonly number[];
  readonly job_type_name: readonly string[];
  readonly job_id: readonly number[];
  readonly recipe_id: readonly number[];
  readonly recipe_node: readonly string[];
  readonly recipe_type_id: readonly number[];
  readonly batch_id: readonly number[];
  readonly countries: readonly string[];
  readonly file_name: readonly string[];
  readonly file_type: readonly string[];
  readonly media_type: readonly string[];
  readonly file_name_search: string | undefined;
}

export const INPUT_TIME_FIELDS = ['last_modified', 'data', 'source'] as const;

/** Filters of the input files of a job or a recipe. `range` compares the time that `timeField` names. */
export interface InputFileFilter {
  readonly range: MsRange;
  readonly timeField: (typeof INPUT_TIME_FIELDS)[number];
  /** Whole names. */
  readonly fileName: readonly string[];
  /** Names of inputs. */
  readonly input: readonly string[];
}
