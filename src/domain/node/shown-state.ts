/**
 * The one state of a node that users see, of the eight in the interface. Two of these are about tasks (cleaning up,
 * pulling the service's image) that Millrace's agents do not have, so no node is ever in them.
 */

export interface ShownState {
  readonly name:
    | 'DEPRECATED'
    | 'OFFLINE'
    | 'PAUSED'
    | 'SCHEDULER_STOPPED'
    | 'DEGRADED'
    | 'INITIAL_CLEANUP'
    | 'IMAGE_PULL'
    | 'READY';
  readonly title: string;
  readonly description: string;
}

export interface NodeFlags {
  readonly isActive: boolean;
  readonly isOnline: boolean;
  readonly isPaused: boolean;
  readonly errorCount: number;
}

/** The first state whose condition holds. */
export function shownState(node: NodeFlags, isSchedulerPaused: boolean): ShownState {
  if (!node.isActive) {
    return state('DEPRECATED', 'Deprecated', 'is not used any more; what ran on it has failed');
  }
  if (!node.isOnline) return state('OFFLINE', 'Offline', 'has no agent that answers; nothing can run on it');
  if (node.isPaused) return state('PAUSED', 'Paused', 'takes no new jobs; those that run continue');
  if (isSchedulerPaused) {
    return state('SCHEDULER_STOPPED', 'Scheduler Stopped', 'takes no new jobs while the scheduler is paused');
  }
  if (node.errorCount > 0) {
    return state(
      'DEGRADED',
      'Degraded',
      'has an error condition: it takes no new jobs, those that run continue',
    );
  }
  return state('READY', 'Ready', 'can take new jobs');
}

function state(name: ShownState['name'], title: string, predicate: string): ShownState {
  return { name, title, description: `The node ${predicate}.` };
}
