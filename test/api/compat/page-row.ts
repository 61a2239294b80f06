/**
 * What each page of the public system's UI calls, as it calls it, and the fields of the answers without which it breaks
 * or shows nothing. `{failedJob}` and the like are ids of the work that was made.
 */

export interface PageRow {
  readonly page: string;
  /** Below `/api/v6/`. */
  readonly call: string;
  readonly needs: readonly string[];
}

export const DAY = 'started={dayAgo}&ended={dayEnd}';
export const TYPE = ['title', 'version', 'name', 'icon_code'];
export const JOB_TYPE = ['id', ...TYPE, 'description', 'is_active', 'is_system', 'unmet_resources'];
export const DETAILED_TYPE = [
  ...[
    'name',
    'title',
    'description',
    'docker_image',
    'container_image',
    'is_system',
    'is_active',
    'is_paused',
  ],
  ...['paused', 'deprecated', 'created', 'last_modified', 'unmet_resources', 'manifest.seedVersion'],
  ...[
    'manifest.job.maintainer.name',
    'manifest.job.title',
    'manifest.job.jobVersion',
    'manifest.job.timeout',
  ],
  ...['configuration', 'configuration.priority', 'manifest.job.interface.command'],
];
/** A call whose query is long, piece by piece. */
export const withQuery = (path: string, pieces: readonly string[]) => `${path}?${pieces.join('&')}`;
export const below = (path: string, names: readonly string[]) => names.map((name) => `${path}.${name}`);
export const PAGE = ['count', 'next', 'previous'];
export const results = (...names: readonly string[]) => [...PAGE, ...below('results[]', names)];
export const COUNTS = [
  'jobs_total',
  'jobs_pending',
  'jobs_blocked',
  'jobs_queued',
  'jobs_running',
  'jobs_failed',
];
export const ALL_COUNTS = [...COUNTS, 'jobs_completed', 'jobs_canceled'];
export const AMOUNTS = ['mem', 'gpus', 'disk', 'cpus'];
