/** Whether a job may go on with the newest revision of its job type. */
import { type Data, validateDataFor } from '../data/data.ts';
import { validateConnection } from '../interface/connection.ts';
import type { Interface } from '../interface/interface.ts';
import { inputInterfaceOf, outputInterfaceOf } from '../manifest/manifest.ts';
import type { JobTypeRevision } from '../recipe/type-revisions.ts';
import type { Problem } from '../validation.ts';
import type { DataDocument, JobRevision, JobState } from './job.ts';
import { manifestOf } from './queueing.ts';

/** What a job is to the others of its recipe. */
export interface RecipePlace {
  /** What its node is fed. */
  readonly fed: Interface;
  /** What other nodes take from it. */
  readonly taken: Interface;
}

export type NewestFit =
  /** `input` is there where the revision takes less than the job has. */
  | { readonly ok: true; readonly input?: DataDocument }
  /** One sentence, for the job's record. */
  | { readonly ok: false; readonly reason: string };

const REFUSED = 'it is not queued again with the newest revision of its job type, which does not';
// limit: problems that are told.
const PROBLEMS_TOLD = 5;

/** `place`: of a job of a recipe. */
export function fitNewest(job: JobState, newest: JobTypeRevision, place?: RecipePlace): NewestFit {
  const manifest = manifestOf(newest);
  if (place !== undefined) {
    const given = validateConnection(outputInterfaceOf(manifest), place.taken);
    if (!given.ok) return refused('give what other nodes of its recipe take from it', given.errors);
  }
  const takes = inputInterfaceOf(manifest);
  if (job.input === null) {
    const connected = validateConnection(place?.fed ?? takes, takes);
    return connected.ok ? { ok: true } : refused('take what its recipe feeds it', connected.errors);
  }
  const checked = validateDataFor(job.input as Data, takes, PROBLEMS_TOLD);
  if (!checked.ok) return refused('take its input', checked.errors);
  return namesOf(checked.value) === namesOf(job.input) ? { ok: true } : { ok: true, input: checked.value };
}

function refused(what: string, problems: readonly Problem[]): NewestFit {
  const told = problems.slice(0, PROBLEMS_TOLD).map((problem) => problem.description);
  return { ok: false, reason: `${REFUSED} ${what}: ${told.join('; ')}` };
}

function namesOf({ files, json }: DataDocument): number {
  return Object.keys(files).length + Object.keys(json).length;
}

/** What of a revision the row of a job keeps. */
export function revisionOf(plan: JobTypeRevision): JobRevision {
  return { jobTypeRevId: plan.jobTypeRevId, timeoutS: manifestOf(plan).job.timeout };
}
