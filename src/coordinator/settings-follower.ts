/** What a coordinator does when the scheduler's settings change. */
import type { SchedulerSettings } from '../domain/scheduling/snapshot.ts';
import type { System } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import { logLevelOf } from './log-level.ts';

/**
 * Follows the scheduler's settings: commit lanes always, the level of the log once it differs from what it was when
 * the program began, so that the level given at the start counts until somebody changes it.
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
