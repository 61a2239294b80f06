/** Whether a job can take the newest revision of its job type. */
import { type Data, validateDataFor } from '../data/data.ts';
import { validateConnection } from '../interface/connection.ts';
import type { Interface } from '../interface/interface.ts';
import { inputInterfaceOf, outputInterfaceOf } from '../manifest/manifest.ts';
import type { JobTypeRevision } from '../recipe/type-revisions.ts';
import type { Problem } from '../validation.ts';
import type { DataDocument, JobRevision, JobState } from './job.ts';
import { manifestOf } from './queueing.ts';

/** The connections of a job within its recipe. */
export interface RecipePlace {
  /** The interface of the values that its node gets. */
  readonly fed: Interface;
  /** The interface of the outputs that other nodes use. */
  readonly taken: Interface;
}

export type NewestFit =
  /** `input` is set if the revision takes fewer values than the job has. */
  | { readonly ok: true; readonly input?: DataDocument }
  /** One sentence, for the job's record. */
  | { readonly ok: false; readonly reason: string };

const REFUSED = 'it is not queued again with the newest revision of its job type, which does not';
// limit: problems that are listed.
const PROBLEMS_SHOWN = 5;

/** Whether the job can take the revision `newest`. `place` is given for a job of a recipe. */
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
  const checked = validateDataFor(job.input as Data, takes, PROBLEMS_SHOWN);
  if (!checked.ok) return refused('take its input', checked.errors);
  return valueCount(checked.value) === valueCount(job.input)
    ? { ok: true }
    : { ok: true, input: checked.value };
}

function refused(what: string, problems: readonly Problem[]): NewestFit {
  const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => problem.description);
  return { ok: false, reason: `${REFUSED} ${what}: ${shown.join('; ')}` };
}

function valueCount({ files, json }: DataDocument): number {
  return Object.keys(files).length + Object.keys(json).length;
}

/** The values of a revision that the job's row keeps. */
export function jobRevisionOf(revision: JobTypeRevision): JobRevision {
  return { jobTypeRevId: revision.jobTypeRevId, timeoutS: manifestOf(revision).job.timeout };
}
