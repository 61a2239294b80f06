/** `dry_run`: the call answers 200 with what it would do, and changes nothing. */
import { flag } from './parameters.ts';

export const DRY_RUN = 'dry_run';

export const dryRun = flag('True: answers 200 with what the call would do, and changes nothing.');
