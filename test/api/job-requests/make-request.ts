/** Requests for many jobs, as tests make them. */
import type { JobChoice, JobRequest } from '../../../src/domain/job/job-request.ts';
import { NOW } from '../../store/store-world.ts';

/** All jobs. */
export const ANY: JobChoice = {
  startedMs: null,
  endedMs: null,
  status: null,
  jobIds: [],
  jobTypeIds: [],
  jobTypeNames: [],
  batchIds: [],
  recipeIds: [],
  errorCategories: [],
  errorIds: [],
  isSuperseded: null,
};

/** After all that are saved. */
export const LAST = 1_000_000;

export const requestOf = (choice: Partial<JobChoice>, over: Partial<JobRequest> = {}): JobRequest => ({
  id: 1,
  action: 'cancel',
  choice: { ...ANY, ...choice },
  priority: null,
  revision: null,
  atMs: NOW + 60_000,
  position: LAST,
  beforeId: null,
  hasBacklog: false,
  isDone: false,
  ...over,
});
