import t from 'tap';
import { type NodeFlags, shownState } from '../../../src/domain/node/shown-state.ts';

const FINE: NodeFlags = { isActive: true, isOnline: true, isPaused: false, errorCount: 0 };

t.test('node state: of several states that hold, the one of the highest precedence is shown', (t) => {
  const cases: readonly (readonly [Partial<NodeFlags>, boolean, string])[] = [
    [{}, false, 'READY'],
    [{ errorCount: 1 }, false, 'DEGRADED'],
    [{ errorCount: 1 }, true, 'SCHEDULER_STOPPED'],
    [{ isPaused: true, errorCount: 1 }, true, 'PAUSED'],
    [{ isOnline: false, isPaused: true, errorCount: 1 }, true, 'OFFLINE'],
    [{ isActive: false, isOnline: false, isPaused: true, errorCount: 1 }, true, 'DEPRECATED'],
  ];
  for (const [flags, isSchedulerPaused, name] of cases) {
    const state = shownState({ ...FINE, ...flags }, isSchedulerPaused);
    t.equal(state.name, name);
    t.match(state.description, /^The node .+\.$/);
  }
  t.end();
});
