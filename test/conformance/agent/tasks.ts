/** Conversations about tasks: begun once, ended once, told until that is acknowledged. */

import type { TaskUpdate } from '../../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../../src/domain/node/coordinator-messages.ts';
import { gatherLaunches } from '../../../src/domain/node/launches.ts';
import { PRODUCT } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';
import { different } from './talk.ts';

const TASK = 1;

export const TASKS: Readonly<Record<string, Conversation>> = {
  'a launch is run, its product stored, its end told with whose it is': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      const launch = bed.launch(TASK, 'brief', into);
      await talk.begin();
      bed.say(launch);
      const update = await talk.task(TASK);
      const { jobId, exeNum, owner } = launch;
      t.match(update, { executionId: TASK, jobId, exeNum, owner, outcome: 'COMPLETED', jsonOutputs: '{}' });
      t.notOk(update.error);
      t.match(update.outputs, [{ ...PRODUCT, workspaceUuid: into.ref.uuid, mediaType: 'text/plain' }]);
      t.match(
        update.phases.filter(({ phase }) => phase === 'main'),
        [{ exitCode: 0, timedOut: false }],
      );
      t.strictSame([...into.files().keys()], [update.outputs[0]?.path]);
      t.ok(update.outputs[0]?.path.startsWith(`${launch.productDirectory}/`));
      t.equal(talk.updatesOf(TASK).length, 1);
    },
  },

  'a task that fails is reported with a name, and leaves nothing': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say(bed.launch(TASK, 'failing', into));
      const update = await talk.task(TASK);
      t.match(update, { outcome: 'FAILED', outputs: [] });
      t.ok(update.error?.name);
      t.equal(into.files().size, 0);
    },
  },

  'launches in one message are run as each alone, and all ends are reported until they are acknowledged': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      t.equal((await talk.begin()).takesLaunches, true);
      const ids = [TASK, 2, 3];
      const launches = ids.map((id) => bed.launch(id, 'brief', into));
      bed.say(gatherLaunches(launches));
      for (const [at, id] of ids.entries()) {
        const { jobId, exeNum, owner } = launches[at] as Launch;
        t.match(await talk.task(id), { executionId: id, jobId, exeNum, owner, outcome: 'COMPLETED' });
      }
      bed.say(gatherLaunches(launches));
      await talk.settled();
      await talk.interrupt();
      for (const id of ids) {
        await talk.task(id, 2);
        t.equal(different(talk.updatesOf(id)), 1, 'reported again, as it was');
        t.equal(bed.begun(id), 1);
      }
      talk.ack(ids.map((id) => talk.updatesOf(id)[0] as TaskUpdate));
      await talk.holdsOnly();
    },
  },

  'a launch that is repeated is run once: while it runs, once it has ended, once that is acknowledged': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      const launch = bed.launch(TASK, 'steady', into);
      await talk.begin();
      bed.say(launch, launch);
      await talk.settled();
      bed.say(launch);
      await talk.settled();
      t.equal(talk.updatesOf(TASK).length, 0);
      await bed.until(() => bed.begun(TASK) > 0, 'the task to begin');
      bed.finish(TASK);
      const update = await talk.task(TASK);
      bed.say(launch);
      await talk.settled();
      talk.ack([update]);
      bed.say(launch);
      await talk.settled();
      bed.say(launch);
      await talk.settled();
      await talk.holdsOnly();
      t.equal(talk.updatesOf(TASK).length, 1);
      t.equal(into.files().size, 1);
      t.equal(bed.begun(TASK), 1);
    },
  },

  'a launch of what was acknowledged is run again on another session: the database was set back': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say(bed.launch(TASK, 'brief', into));
      const first = await talk.task(TASK);
      talk.ack([first]);
      await talk.holdsOnly();
      bed.say(bed.launch(TASK, 'brief', into));
      const second = await talk.task(TASK, talk.session);
      t.equal(second.outcome, 'COMPLETED');
      t.ok(second.spoolId > first.spoolId);
      t.strictSame(second.outputs, first.outputs, 'the product is the one that is there');
      t.equal(bed.begun(TASK), 2);
      t.equal(into.files().size, 1);
    },
  },

  'a task that is killed is reported as canceled, once, and leaves nothing': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say(bed.launch(TASK, 'steady', into));
      await bed.until(() => bed.begun(TASK) > 0, 'the task to begin');
      const kill = { type: 'kill', executionId: TASK } as const;
      bed.say(kill, kill);
      const update = await talk.task(TASK);
      t.match(update, { outcome: 'CANCELED', outputs: [] });
      t.notOk(update.error);
      bed.say(kill);
      await talk.settled();
      t.equal(talk.updatesOf(TASK).length, 1);
      t.equal(into.files().size, 0);
      talk.ack([update]);
      await talk.holdsOnly();
    },
  },

  'a kill right behind its launch is not lost': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      const ids = [1, 2, 3, 4, 5];
      for (const id of ids) bed.say(bed.launch(id, 'steady', into), { type: 'kill', executionId: id });
      for (const id of ids) t.match(await talk.task(id), { outcome: 'CANCELED', outputs: [] });
      t.equal(into.files().size, 0);
    },
  },

  'a kill of what is not there, or has ended, changes nothing': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say({ type: 'kill', executionId: 77 }, bed.launch(TASK, 'brief', into));
      const update = await talk.task(TASK);
      bed.say({ type: 'kill', executionId: TASK });
      await talk.settled();
      await talk.interrupt();
      t.strictSame(await talk.task(TASK, 2), update);
      t.equal(update.outcome, 'COMPLETED');
      t.equal(into.files().size, 1);
      t.strictSame(talk.updatesOf(77), []);
    },
  },

  'an end is reported again over each new session and life, as it was, until it is acknowledged': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      for (const id of [1, 2, 3]) bed.say(bed.launch(id, 'brief', into));
      for (const id of [1, 2, 3]) await talk.task(id);
      await talk.interrupt();
      for (const id of [1, 2, 3]) await talk.task(id, 2);
      const third = await talk.restart();
      t.strictSame(
        third.executions.map(({ phase }) => phase),
        ['ended', 'ended', 'ended'],
      );
      const [one, two, three] = [await talk.task(1, 3), await talk.task(2, 3), await talk.task(3, 3)];
      for (const id of [1, 2, 3]) t.equal(different(talk.updatesOf(id)), 1);
      t.equal(new Set([one, two, three].map(({ spoolId }) => spoolId)).size, 3);

      talk.ack([one, { ...two, spoolId: 1_000_000 }, three]);
      await talk.settled();
      await talk.holdsOnly(2);
      await talk.task(2, talk.session);
      await talk.settled();
      const since = Array.from({ length: talk.session - 3 }, (_, at) => at + 4);
      t.strictSame(
        since.flatMap((session) => [...talk.updatesOf(1, session), ...talk.updatesOf(3, session)]),
        [],
      );

      await talk.restart();
      await talk.task(2, talk.session);
      await talk.settled();
      // What it had not forgotten on its disk when it died may come once more, as it was.
      for (const id of [1, 2, 3]) t.equal(different(talk.updatesOf(id)), 1);
      bed.say(bed.launch(4, 'brief', into));
      const spoolIds = [one, two, three].map(({ spoolId }) => spoolId);
      t.ok((await talk.task(4)).spoolId > Math.max(...spoolIds), 'numbers continue where they were');
    },
  },

  'what an acknowledgement discards is removed, and nothing else': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      for (const id of [1, 2, 3]) bed.say(bed.launch(id, 'brief', into));
      const updates = [await talk.task(1), await talk.task(2), await talk.task(3)];
      talk.ack(updates.slice(0, 2), [2, 3]);
      const paths = updates.map(({ outputs }) => outputs[0]?.path);
      await bed.until(() => into.files().size === 2, 'a product to go');
      await talk.settled();
      t.strictSame([...into.files().keys()].sort(), [paths[0], paths[2]].sort());
    },
  },

  'a running task outlives its agent, and is ended once': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      for (const id of [1, 2]) bed.say(bed.launch(id, 'steady', into));
      await bed.until(() => bed.begun(1) === 1 && bed.begun(2) === 1, 'the tasks to begin');
      const hello = await talk.restart();
      t.match(hello.executions, [
        { phase: 'main', needsLaunch: false },
        { phase: 'main', needsLaunch: false },
      ]);
      bed.say(bed.launch(1, 'steady', into));
      await talk.settled();
      t.strictSame(talk.said('taskUpdate'), []);
      bed.finish(1);
      t.equal((await talk.task(1)).outcome, 'COMPLETED');
      await talk.restart(() => bed.finish(2));
      t.equal((await talk.task(2)).outcome, 'COMPLETED');
      t.equal(different(talk.updatesOf(1)), 1);
      t.equal(different(talk.updatesOf(2)), 1);
      t.equal(into.files().size, 2);
      t.strictSame([bed.begun(1), bed.begun(2)], [1, 1]);
    },
  },

  'a task that outlived its agent can be killed by the next': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      await talk.begin();
      bed.say(bed.launch(TASK, 'steady', bed.workspace('products')));
      await bed.until(() => bed.begun(TASK) > 0, 'the task to begin');
      await talk.restart();
      bed.say({ type: 'kill', executionId: TASK });
      t.match(await talk.task(TASK), { outcome: 'CANCELED', outputs: [] });
    },
  },

  'a task whose agent died over its kill is canceled all the same, once': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say(bed.launch(TASK, 'steady', into));
      await bed.until(() => bed.begun(TASK) > 0, 'the task to begin');
      const kill = { type: 'kill', executionId: TASK } as const;
      bed.say(kill);
      await talk.settled();
      await talk.restart();
      bed.say(kill);
      t.match(await talk.task(TASK), { outcome: 'CANCELED', outputs: [] });
      await talk.settled();
      t.equal(different(talk.updatesOf(TASK)), 1);
      t.equal(into.files().size, 0);
      t.equal(bed.begun(TASK), 1);
    },
  },

  'products go into the workspace or nowhere': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say(bed.launch(TASK, 'steady', into));
      await bed.until(() => bed.begun(TASK) > 0, 'the task to begin');
      into.unmount();
      bed.finish(TASK);
      t.match(await talk.task(TASK), { outcome: 'FAILED', error: { name: 'filesystem-io' }, outputs: [] });
      into.mount();
      t.equal(into.files().size, 0);
    },
  },
};
