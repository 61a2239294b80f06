/** Conversations about sessions: how one begins, breaks, is refused or sent elsewhere; what the agent says it holds. */
import type { Hello } from '../../../src/domain/node/agent-messages.ts';
import { AGENT_PROTOCOL } from '../../../src/domain/node/agent-messages.ts';
import type { Conversation } from './conversation.ts';
import { different, ingestOf, itemOf, listingOf, monitorOf } from './talk.ts';

const TASK = 1;
const INGEST = 2;
const WATCH = 3;
const LISTING = 4;

function idsOf({ executions, ingestExecutionIds, monitorExecutionIds, listingExecutionIds }: Hello) {
  const ids = executions.map(({ executionId }) => executionId);
  return { executions: ids, ingestExecutionIds, monitorExecutionIds, listingExecutionIds };
}

export const SESSIONS: Readonly<Record<string, Conversation>> = {
  'a new agent says who it is, what it has, and that it holds nothing': {
    hold: async (t, talk) => {
      const hello = await talk.begin();
      t.equal(hello.protocol, AGENT_PROTOCOL);
      t.ok(hello.nodeName !== '' && hello.agentId !== '');
      t.ok(Number(hello.resources.cpus) > 0 && Number(hello.resources.mem) > 0);
      t.ok(hello.executors.includes('process:default'));
      t.strictSame(idsOf(hello), {
        ...{ executions: [], ingestExecutionIds: [], monitorExecutionIds: [], listingExecutionIds: [] },
      });
    },
  },

  'a session is a hello, then offers and signs of life that are numbered': {
    hold: async (t, talk) => {
      await talk.begin();
      await talk.bed.until(() => talk.said('heartbeat').length >= 3, 'three signs of life');
      t.equal(talk.bed.heard[0]?.message.type, 'hello');
      t.equal(talk.said('hello').length, 1);
      const beats = talk.said('heartbeat').map(({ sequence }) => sequence);
      t.ok(
        beats.every((beat, at) => at === 0 || beat > (beats[at - 1] ?? beat)),
        `beats ${beats}`,
      );
      const { resources, errors } = talk.said('offer')[0] ?? {};
      t.ok(Number(resources?.cpus) > 0);
      t.strictSame(errors, []);
      await talk.interrupt();
      const offers = talk.said('offer').map(({ sequence }) => sequence);
      t.equal(new Set(offers).size, offers.length, `offers ${offers} have different numbers`);
    },
  },

  'an agent whose node has moved goes where it is sent, with nothing but a hello said': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const address = bed.addressOf('second');
      bed.answerHello = (_hello, door) => (door === 'first' ? { type: 'moved', address } : undefined);
      await bed.start();
      await talk.opened(2);
      t.strictSame(bed.doors, ['first', 'second']);
      t.strictSame(
        bed.heard.filter(({ session }) => session === 1).map(({ message }) => message.type),
        ['hello'],
      );
      bed.answerHello = () => undefined;
      await talk.interrupt();
      t.strictSame(bed.doors, ['first', 'second', 'first'], 'then those that it knows are asked again');
    },
  },

  'a session may be moved in its middle, and what the agent holds goes with it': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const into = bed.workspace('products');
      await talk.begin();
      bed.say(bed.launch(TASK, 'steady', into), monitorOf(WATCH, bed.workspace('in')));
      await talk.settled();
      bed.say({ type: 'moved', address: bed.addressOf('second') });
      const hello = await talk.opened(2);
      t.strictSame(bed.doors, ['first', 'second']);
      t.match(hello.executions, [{ executionId: TASK, phase: 'main', needsLaunch: false }]);
      t.strictSame(hello.monitorExecutionIds, [WATCH]);
      bed.finish(TASK);
      t.equal((await talk.task(TASK, 2)).outcome, 'COMPLETED');
    },
  },

  'two that send an agent to each other do not stop it from asking': {
    hold: async (t, talk) => {
      const { bed } = talk;
      bed.answerHello = (_hello, door) => {
        const address = bed.addressOf(door === 'first' ? 'second' : 'first');
        return bed.doors.length < 5 ? { type: 'moved', address } : undefined;
      };
      await bed.start();
      await talk.opened(5);
      t.strictSame(bed.doors.slice(0, 2), ['first', 'second']);
      t.equal(bed.doors.length, 5);
    },
  },

  'an agent that is refused says nothing but its hello, and asks again': {
    hold: async (t, talk) => {
      const { bed } = talk;
      bed.answerHello = () => (bed.doors.length < 2 ? { type: 'refused', reason: 'no' } : undefined);
      await bed.start();
      const hello = await talk.opened(2);
      t.strictSame(
        bed.heard.filter(({ session }) => session === 1).map(({ message }) => message.type),
        ['hello'],
      );
      t.equal(hello.agentId, talk.said('hello')[0]?.agentId);
    },
  },

  'an agent says what it holds: all of it after a cut, what is on its disk after a restart': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const [into, shelf] = [bed.workspace('products'), bed.workspace('shelf')];
      for (const name of ['a', 'b', 'c']) shelf.put(name, name);
      const first = await talk.begin();
      bed.say(bed.launch(TASK, 'steady', into), bed.launch(11, 'brief', into));
      bed.say(ingestOf([shelf], itemOf(INGEST, { from: shelf, path: 'a', seen: shelf.facts('a') })));
      bed.say(monitorOf(WATCH, bed.workspace('in')), listingOf(LISTING, shelf, { pageSize: 1 }));
      await talk.task(11);
      await talk.ingest(INGEST);
      await talk.paged(LISTING, 1);

      const back = await talk.interrupt();
      const byId = (hello: Hello) => [...hello.executions].sort((a, b) => a.executionId - b.executionId);
      const held = [
        { executionId: TASK, phase: 'main', needsLaunch: false },
        { executionId: 11, phase: 'ended', needsLaunch: false },
      ];
      t.match(byId(back), held);
      t.strictSame(
        { ...idsOf(back), executions: [] },
        {
          ...{ executions: [], ingestExecutionIds: [INGEST], monitorExecutionIds: [WATCH] },
          listingExecutionIds: [LISTING],
        },
      );

      const again = await talk.restart();
      t.match(byId(again), held);
      t.strictSame(
        { ...idsOf(again), executions: [] },
        {
          ...{
            executions: [],
            ingestExecutionIds: [INGEST],
            monitorExecutionIds: [],
            listingExecutionIds: [],
          },
        },
      );
      t.equal(again.agentId, first.agentId);
      t.equal(again.nodeName, first.nodeName);

      bed.finish(TASK);
      talk.ack([await talk.task(TASK), await talk.task(11, 3), await talk.ingest(INGEST, 3)]);
      const nothing = { executions: [], ingestExecutionIds: [], monitorExecutionIds: [] };
      t.strictSame(idsOf(await talk.holdsOnly()), { ...nothing, listingExecutionIds: [] });
    },
  },

  'what nobody acknowledges is reported again on a session that lives, as it was': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const [shelf, inbox] = [bed.workspace('shelf'), bed.workspace('in')];
      shelf.put('a', 'a');
      inbox.put('b', 'b');
      await talk.begin();
      bed.say(bed.launch(TASK, 'brief', bed.workspace('products')));
      bed.say(ingestOf([shelf], itemOf(INGEST, { from: shelf, path: 'a', seen: shelf.facts('a') })));
      bed.say(monitorOf(WATCH, inbox), listingOf(LISTING, shelf));
      const twice = () =>
        talk.updatesOf(TASK).length >= 2 &&
        talk.updatesOf(INGEST).length >= 2 &&
        talk.batches(WATCH).length >= 2 &&
        talk.pages(LISTING).length >= 2;
      await bed.until(twice, 'everything to be told twice');
      t.equal(talk.session, 1);
      t.equal(different(talk.updatesOf(TASK)), 1);
      t.equal(different(talk.updatesOf(INGEST)), 1);
      t.equal(different(talk.pages(LISTING)), 1);
      t.equal(different(talk.complete(WATCH)), 1);
      t.equal(
        different(talk.batches(WATCH)),
        talk.batches(WATCH).length,
        'each batch has a number of its own',
      );
    },
  },
};
