/** What the runs of diagnostics need of the world. */
import type { DiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';

export interface DiagnosticPorts {
  loadDiagnosticRuns(runIds: readonly number[]): Promise<ReadonlyMap<number, DiagnosticRun>>;
  /** Runs of these shards that have recipes to make; bounded. */
  dueDiagnosticRuns(shards: readonly number[]): Promise<readonly number[]>;
}
