/** The ports of the scheduler. */
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
    /** Jobs that may not be placed yet are left out. */
    readonly nowMs: number;
  }): Promise<ClassHead | undefined>;
  /** Applies changed settings to this coordinator: its log level and concurrent commits. */
  applySettings(settings: SchedulerSettings): Promise<void>;
}
