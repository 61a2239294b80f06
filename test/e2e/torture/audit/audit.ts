/** The audit: every problem that can be seen from outside, by name; none when all is as it should be. */
import type { Caller } from '../caller.ts';
import type { Installation } from '../installation.ts';
import type { Ledger } from '../ledger.ts';
import { checkBaits } from './baits.ts';
import { checkChanges } from './changes.ts';
import { checkLists, checkMetrics, checkOwnCounters } from './counters.ts';
import { checkPlaces, checkProducts, checkSources } from './files.ts';
import { checkLeftovers, checkNodes } from './leftovers.ts';
import { type Observed, observe } from './observed.ts';
import { checkBatches, checkJobs, checkPurges } from './work.ts';

export interface AuditOf {
  readonly all: Installation;
  readonly caller: Caller;
  readonly ledger: Ledger;
}

export interface Verdict {
  /** By the rule that is broken. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
  readonly seen: Observed;
}

export async function audit({ all, caller, ledger }: AuditOf): Promise<Verdict> {
  const seen = await observe(all, caller);
  return {
    seen,
    problems: {
      'every source is recorded once, with its content and its recipe': checkSources(ledger, seen),
      'every product is there once, with its content and its ancestry': checkProducts(ledger, seen),
      'jobs of swapped inputs have their own content or none, and no thread waits': checkBaits(
        all,
        ledger,
        seen,
      ),
      'workspaces hold what is on record, and nothing else': checkPlaces(ledger, seen),
      'every job is done, once': checkJobs(seen),
      'every batch has its members, all complete': checkBatches(ledger, seen),
      'what was purged is gone': checkPurges(ledger, seen),
      'counters of recipes and batches are what a recount gives': checkOwnCounters(seen),
      'counts of queue, types and lists are what a recount gives': await checkLists(caller, seen),
      'metrics are what a recount gives': await checkMetrics(caller, seen),
      'folded up, the stream of changes is the lists': await checkChanges(caller),
      'no container, mount, process, folder or upload is left': await checkLeftovers(all),
      'nodes are ready and hold nothing; nobody helped': await checkNodes(all, caller),
      'no program ended by itself': [...all.endedByThemselves],
    },
  };
}

export function problemsOf({ problems }: Verdict): readonly string[] {
  return Object.values(problems).flat();
}
