/** The ports of the runs of diagnostics. */
import type { DiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';

export interface DiagnosticPorts {
  loadDiagnosticRuns(runIds: readonly number[]): Promise<ReadonlyMap<number, DiagnosticRun>>;
  /** Runs of these shards that have recipes to create; bounded. */
  dueDiagnosticRuns(shards: readonly number[]): Promise<readonly number[]>;
}
