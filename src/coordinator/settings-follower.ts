/** Applies changes of the scheduler's settings to a coordinator. */
import type { SchedulerSettings } from '../domain/scheduling/snapshot.ts';
import type { System } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import { logLevelOf } from './log-level.ts';

/**
 * Applies the number of commit lanes always. The log level given at the start of the program stays until the setting
 * changes for the first time; from then on the setting decides.
 */
export function settingsFollower(log: Logger, system: () => System | undefined) {
  let level: string | undefined;
  return {
    apply(settings: SchedulerSettings): void {
      system()?.setLanes(Math.max(1, settings.messageHandlerCount));
      const isChanged = level !== undefined && level !== settings.loggingLevel;
      if (isChanged) log.setLevel(logLevelOf(settings.loggingLevel));
      level = settings.loggingLevel;
    },
  };
}
