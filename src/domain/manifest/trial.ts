/** A trial of a job type: one job that is neither listed nor counted, and gone with its products after an hour. */

/** How long a trial is kept. */
export const TRIAL_MS = 3_600_000;

/** limit: trials of one account that have not ended, and all of the last hour. */
export const LIVE_TRIALS_MAX = 5;
export const TRIALS_MAX = 100;

/** How the name of a tried type begins. No manifest may give a name like this. */
export const TRIAL_MARK = '~';
