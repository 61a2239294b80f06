/** A job without a recipe, with all the data that its decisions need: the state of its own actor. */
import type { FileInfo } from '../file/file.ts';
import type { JobTypeRevision } from '../recipe/type-revisions.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { JobState } from './job.ts';

export interface StandaloneJob {
  readonly job: JobState;
  /** Replaced when the job is requeued with the newest revision. */
  revision: JobTypeRevision;
  /** Its input files. */
  readonly files: Map<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
}
