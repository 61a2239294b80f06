/** Applies changes of the scheduler's settings to a coordinator. */
import type { SchedulerSettings } from '../domain/scheduling/snapshot.ts';
import type { System } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import { logLevelOf } from './log-level.ts';

/**
 * Applies commit lanes always, and the log level once it differs from its value at the start of the program: the level
 * given at the start is used until somebody changes the setting.
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
