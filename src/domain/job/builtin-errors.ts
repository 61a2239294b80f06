/** The errors of every installation, as data. The store registers them at start; `retry.ts` reads their flags. */

export const ERROR_CATEGORIES = ['SYSTEM', 'DATA', 'ALGORITHM'] as const;
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

export interface BuiltinError {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: ErrorCategory;
  /** Whether a failed execution is tried again while tries are left. */
  readonly shouldBeRetried: boolean;
}

const system = (name: string, title: string, description: string, shouldBeRetried = true): BuiltinError => {
  return { name, title, description, category: 'SYSTEM', shouldBeRetried };
};
const algorithm = (name: string, title: string, description: string): BuiltinError => {
  return { name, title, description, category: 'ALGORITHM', shouldBeRetried: false };
};

export const BUILTIN_ERRORS: readonly BuiltinError[] = Object.freeze([
  system('unknown', 'Unknown', 'The cause of the failure is not known.'),
  system('database', 'Database', 'A system task met a database error.'),
  system(
    'database-operation',
    'Database Operation',
    'The database could not be reached or refused an operation.',
  ),
  system('filesystem-io', 'Filesystem I/O', 'Files could not be read or written.'),
  system('ingest-timeout', 'Ingest Timeout', 'The ingest of a file took longer than its time-out.'),
  system('task-launch', 'Task Launch', 'A task failed before it was seen running.'),
  system('docker-task-launch', 'Container Launch', 'A container failed before it was seen running.'),
  system('docker-terminated', 'Container Terminated', 'A running container was ended from outside.'),
  system('node-lost', 'Node Lost', 'The node went offline, was deactivated, or came back without the task.'),
  system('resource-starvation', 'Resource Starvation', 'The next task waited too long for its resources.'),
  system('launch-timeout', 'Launch Timeout', 'A launched task did not start in time.'),
  system('pull-timeout', 'Pull-task Timeout', 'The container image was not pulled in time.'),
  system('pre-timeout', 'Pre-task Timeout', 'The inputs were not staged in time.'),
  system('post-timeout', 'Post-task Timeout', 'The outputs were not stored in time.'),
  system('system-timeout', 'Timeout (System)', 'A system job ran longer than its time-out.'),
  algorithm('timeout', 'Timeout', 'The job ran longer than the time-out of its manifest.'),
  system('pull', 'Container Pull Failed', 'The container image could not be pulled.'),
  system('scheduler-lost', 'Scheduler Restarted', 'The task was running when track of it was lost.'),
  algorithm(
    'algorithm-unknown',
    'Algorithm Failure',
    'The job ended with an exit code that its manifest does not define.',
  ),
  algorithm('out-of-memory', 'Out of Memory', 'The job needed more memory than it was given.'),
  algorithm(
    'invalid-results-manifest',
    'Invalid Results Manifest',
    'The outputs of the job could not be read.',
  ),
  algorithm('missing-required-output', 'Missing Required Output', 'The job did not make a required output.'),
  algorithm(
    'unexpected-multiple-outputs',
    'Unexpected Multiple Outputs',
    'Several files match an output that takes one.',
  ),
  {
    name: 'product-path-taken',
    title: 'Product Path Taken',
    description: 'The path at which a product was to be stored was taken. No product of the job was stored.',
    category: 'DATA',
    shouldBeRetried: false,
  },
  system(
    'results-not-saved',
    'Results Not Saved',
    'The results of the task could not be saved in several attempts. The log of the coordinator says why.',
    false,
  ),
  system('missing-setting', 'Missing Setting', 'A required setting has no value.', false),
  system('missing-mount', 'Missing Mount', 'A mount of the manifest is not configured.', false),
  system('deleted-file', 'Deleted File', 'An input file is deleted.', false),
  system('missing-file', 'Missing File', 'An input file is not where it was stored.', false),
  system('test', 'Test Error', 'A diagnostic job failed on purpose.', false),
  {
    name: 'invalid-input',
    title: 'Invalid Input',
    description: 'The outputs of earlier jobs in the recipe do not fit the input of the job.',
    category: 'DATA',
    shouldBeRetried: false,
  },
]);

/** The error of each exit code of a system job's main task; the error of any other code is `unknown`. */
export const SYSTEM_EXIT_ERRORS: ReadonlyMap<number, 'test'> = new Map([[11, 'test']]);
