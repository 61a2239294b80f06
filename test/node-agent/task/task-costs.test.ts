/**
 * What tasks cost an agent, as a number that does not depend on the machine: how often it hands a call to a thread of
 * the pool. Waking threads takes five system calls each time, and more processor time than most of the calls.
 */
import { createHook } from 'node:async_hooks';
import t from 'tap';
import { agentBench } from '../../support/agent/agent-bench.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeLaunch, shell } from '../../support/agent/make-launch.ts';

const needsRoot = process.getuid?.() === 0 ? {} : { skip: 'needs root' };
const TASKS = 100;
/** The journal takes one, for its sync; the rest is what the agent looks at from time to time. */
const HANDED_MAX = 3;
/** For the start, and the first folders, which are made by threads. */
const HANDED_AT_FIRST = 400;

t.test('a task that leaves nothing takes few threads of the pool', needsRoot, async (t) => {
  const bench = await agentBench(t);
  let handed = 0;
  const counting = createHook({
    init: (_id, type) => {
      if (/^(FSREQ|FILEHANDLECLOSEREQ)/.test(type)) handed += 1;
    },
  });
  t.teardown(() => counting.disable());
  await bench.start();
  await bench.coordinator.connected();
  counting.enable();
  for (let id = 1; id <= TASKS; id += 1) {
    bench.coordinator.send(makeLaunch(id, { command: shell('echo hello') }));
    t.equal((await bench.coordinator.update(id)).outcome, 'COMPLETED');
    await eventually(() => bench.foldersOfTasks().length === 0, 'its folder gone');
  }
  t.ok(handed > TASKS, 'the calls were seen');
  t.ok(handed <= TASKS * HANDED_MAX + HANDED_AT_FIRST, `${handed} calls for ${TASKS} tasks`);
});
