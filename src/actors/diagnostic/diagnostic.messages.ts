/** Messages to the actor of one run of diagnostics. Its key is the id of the run. */
import type { NewDiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';
import type { NewEvent } from '../../domain/event.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';

export function diagnosticAddress(runId: number): Address<DiagnosticMessage> {
  return address('diagnostic', String(runId));
}

export type DiagnosticMessage =
  /** An ask with `isNew`. Answered once the run is saved; its recipes are created afterwards. */
  | (Keyed &
      AnsweredWith<Confirmed> & {
        readonly type: 'begin';
        readonly event: NewEvent;
        readonly run: NewDiagnosticRun;
      })
  /** Creates the next recipes, if any are left. */
  | { readonly type: 'wake' };
