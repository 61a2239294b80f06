/** Conversations about launches that wait for room in the offer. */
import type { Hello } from '../../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../../src/domain/node/coordinator-messages.ts';
import type { TaskKind } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';
import type { Talk } from './talk.ts';

const HOLDER = 1;
const WAITER = 2;
/** A busy machine may take so long to start a task that what waits is given back. */
const TRIES = 20;

/** A launch that takes everything that the agent offers. */
function whole(talk: Talk, { resources }: Hello, executionId: number, kind: TaskKind): Launch {
  const { bed } = talk;
  const launch = bed.launch(executionId, kind, bed.workspace('products'));
  return { ...launch, resources: { ...launch.resources, cpus: resources.cpus ?? 1 } };
}

/** The agent has begun a task that holds everything. */
async function filled(talk: Talk): Promise<Hello> {
  const hello = await talk.begin();
  talk.bed.say(whole(talk, hello, HOLDER, 'steady'));
  await talk.bed.until(() => talk.bed.begun(HOLDER) > 0, 'the task to begin');
  return hello;
}

export const WORK_AHEAD: Readonly<Record<string, Conversation>> = {
  'an agent says that launches may wait there': {
    hold: async (t, talk) => t.equal((await talk.begin()).takesWorkAhead, true),
  },

  'a launch that has waited too long is given back, and nothing of it was begun': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const hello = await filled(talk);
      const launch = whole(talk, hello, WAITER, 'brief');
      bed.say(launch);
      const update = await talk.task(WAITER);
      const { jobId, exeNum, owner } = launch;
      t.match(update, {
        jobId,
        exeNum,
        owner,
        outcome: 'CANCELED',
        neverBegan: true,
        phases: [],
        outputs: [],
      });
      t.notOk(update.error);
      bed.say(launch);
      await talk.settled();
      t.equal(talk.updatesOf(WAITER).length, 1, 'a late repeat is nothing new');
      talk.ack([update]);
      bed.finish(HOLDER);
      const held = await talk.task(HOLDER);
      t.match(held, { outcome: 'COMPLETED' });
      t.notOk(held.neverBegan);
      talk.ack([held]);
      await talk.holdsOnly();
      t.equal(bed.begun(WAITER), 0);
    },
  },

  'a launch that waits is begun when there is room': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const hello = await talk.begin();
      for (let id = 1; id < 2 * TRIES; id += 2) {
        bed.say(whole(talk, hello, id, 'steady'));
        await bed.until(() => bed.begun(id) > 0, 'the task to begin');
        bed.say(whole(talk, hello, id + 1, 'brief'));
        await talk.deleted(bed.workspace('round'), []);
        t.equal(bed.begun(id + 1), 0);
        bed.finish(id);
        const [held, waited] = [await talk.task(id), await talk.task(id + 1)];
        talk.ack([held, waited]);
        if (waited.outcome === 'CANCELED') continue;
        t.match(waited, { outcome: 'COMPLETED', phases: Array });
        t.equal(bed.begun(id + 1), 1);
        await talk.holdsOnly();
        return;
      }
      t.fail('never was anything begun');
    },
  },

  'a launch that waits and is killed ends as canceled, without having begun': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const hello = await filled(talk);
      bed.say(whole(talk, hello, WAITER, 'brief'), { type: 'kill', executionId: WAITER });
      t.match(await talk.task(WAITER), { outcome: 'CANCELED', outputs: [] });
      bed.say({ type: 'kill', executionId: HOLDER });
      t.match(await talk.task(HOLDER), { outcome: 'CANCELED' });
      t.equal(talk.updatesOf(WAITER).length, 1);
      t.equal(bed.begun(WAITER), 0);
    },
  },

  'an agent that is killed holds none of what waited, and begins it when it is sent again': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const hello = await filled(talk);
      const launch = whole(talk, hello, WAITER, 'brief');
      bed.say(launch);
      const again = await talk.restart();
      t.notOk(again.executions.some(({ executionId, phase }) => executionId === WAITER && phase !== 'ended'));
      bed.finish(HOLDER);
      t.match(await talk.task(HOLDER), { outcome: 'COMPLETED' });
      if (talk.updatesOf(WAITER).length > 0) return;
      bed.say(launch);
      t.match(await talk.task(WAITER), { outcome: 'COMPLETED' });
      t.equal(bed.begun(WAITER), 1);
    },
  },
};
