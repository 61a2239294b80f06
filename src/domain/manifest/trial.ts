/** A trial of a job type: one job that is neither listed nor counted, and removed with its products after an hour. */

/** How long a trial is kept. */
export const TRIAL_MS = 3_600_000;

/** limit: trials of one account that have not ended, and all of the last hour. */
export const LIVE_TRIALS_MAX = 5;
export const TRIALS_MAX = 100;

/** The first character of the names of trials. Names in manifests cannot have it. */
export const TRIAL_MARK = '~';
