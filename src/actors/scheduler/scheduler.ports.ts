/** What the scheduler needs of the world. */
import type {
  ClassHead,
  QueueMode,
  SchedulerSettings,
  SchedulerSnapshot,
} from '../../domain/scheduling/snapshot.ts';

export interface SchedulerPorts {
  loadScheduler(): Promise<SchedulerSnapshot>;
  queuedHeads(args: {
    readonly classKey: string;
    readonly mode: QueueMode;
    readonly limit: number;
    /** What may not be placed yet is left out. */
    readonly nowMs: number;
  }): Promise<ClassHead | undefined>;
  /** Settings changed: reach this coordinator's log level and commit lanes. */
  applySettings(settings: SchedulerSettings): Promise<void>;
}
