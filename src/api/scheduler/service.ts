/** The scheduler's settings and its queue: read from rows; the scheduler makes changes. */
import { SCHEDULER, type SchedulerMessage } from '../../actors/scheduler/scheduler.messages.ts';
import type { System } from '../../kernel/mod.ts';
import { loadSettings } from '../../store/scheduler/load.ts';
import { clusterResources, liveTotals, queueStatus } from '../../store/scheduler/queue.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { SchedulerRecord, SchedulerRouteDeps } from './routes.ts';

export interface SchedulerParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ask'>;
}

const ASK_DEADLINE_MS = 10_000;

export function schedulerApp({ sql, system }: SchedulerParts): SchedulerRouteDeps['scheduler'] {
  return {
    async settings() {
      const settings = await loadSettings(sql);
      return {
        is_paused: settings.isPaused,
        num_message_handlers: settings.messageHandlerCount,
        queue_mode: settings.queueMode,
        // The row's check restricts it to the existing levels.
        system_logging_level: settings.loggingLevel as SchedulerRecord['system_logging_level'],
      };
    },
    async edit(patch) {
      const message: SchedulerMessage = { type: 'edit', patch };
      await system.ask(SCHEDULER, message, { deadlineMs: ASK_DEADLINE_MS });
    },
    async queuedTotals() {
      const [live, cluster] = await Promise.all([liveTotals(sql), clusterResources(sql)]);
      return { cluster, ...live };
    },
    queueStatus: (page) => queueStatus(sql, page),
  };
}
