import t from 'tap';
import { retentionActor } from '../../../src/actors/retention/retention.actor.ts';
import { RETENTION } from '../../../src/actors/retention/retention.messages.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

const DAY_MS = 86_400_000;
const NOW = 400 * DAY_MS;
const ports = {
  extendLogs: async () => undefined,
  removeOldLogs: async () => false,
  removeOldWork: async () => false,
  removeEndedCredentials: async () => false,
  removeOldKeys: async () => false,
  finishDeletions: async () => false,
  removeTrials: async () => false,
  extendChanges: async () => undefined,
  removeOldChanges: async () => false,
};

const CHANGES = { changesHours: 24, changesMib: 2_048 };

async function makeKeeper(logsDays: number, historyDays: number) {
  const def = retentionActor({ logsDays, historyDays, ...CHANGES });
  const state = (await def.load([RETENTION.key], ports)).get(RETENTION.key);
  return (message: Parameters<typeof def.receive>[1]): unknown[] =>
    def
      .receive(state, message, handlerCtx(RETENTION.kind, RETENTION.key, { nowMs: NOW }))
      .effects.map((effect) => {
        if (effect.type === 'call') return [effect.port, effect.args];
        return effect.type === 'timer' ? [effect.afterMs, effect.message] : effect.type;
      });
}

const wake = { type: 'wake' } as const;

t.test('retention: each task gets its cut-off time, and is not called again while it runs', async (t) => {
  const tell = await makeKeeper(90, 365);
  t.strictSame(tell(wake), [
    ['extendLogs', undefined],
    ['removeOldLogs', 310 * DAY_MS],
    ['removeOldWork', 35 * DAY_MS],
    ['removeEndedCredentials', NOW],
    ['removeOldKeys', undefined],
    ['finishDeletions', undefined],
    ['removeTrials', NOW],
    ['extendChanges', undefined],
    ['removeOldChanges', { beforeMs: 399 * DAY_MS, bytesMax: 2_147_483_648 }],
  ]);
  t.strictSame(tell(wake), []);
  t.strictSame(tell({ type: 'taskDone', about: 'extendLogs', result: undefined }), []);
  t.strictSame(tell(wake), [['extendLogs', undefined]]);
});

t.test('retention: a task with more to remove continues after a pause', async (t) => {
  const tell = await makeKeeper(90, 365);
  tell(wake);
  const more = { type: 'more', task: 'removeOldWork' } as const;
  t.strictSame(tell({ type: 'taskDone', about: 'removeOldWork', result: true }), [[200, more]]);
  t.strictSame(tell(more), [['removeOldWork', 35 * DAY_MS]]);
  t.strictSame(tell({ type: 'taskDone', about: 'removeOldWork', result: false }), []);
});

t.test(
  'retention: with 0 days logs and history are kept, but ended credentials and idempotency keys are removed',
  async (t) => {
    const tell = await makeKeeper(0, 0);
    t.strictSame(tell(wake), [
      ['extendLogs', undefined],
      ['removeEndedCredentials', NOW],
      ['removeOldKeys', undefined],
      ['finishDeletions', undefined],
      ['removeTrials', NOW],
      ['extendChanges', undefined],
      ['removeOldChanges', { beforeMs: 399 * DAY_MS, bytesMax: 2_147_483_648 }],
    ]);
  },
);

t.test('retention: a failed task is tried again at the next wake-up', async (t) => {
  const tell = await makeKeeper(90, 0);
  tell(wake);
  const error = { code: 'UNAVAILABLE', message: 'no database' } as const;
  t.strictSame(tell({ type: 'taskFailed', about: 'removeOldLogs', error }), []);
  t.strictSame(tell(wake), [['removeOldLogs', 310 * DAY_MS]]);
});

t.test('retention: the periodic scan wakes the actor only on the owner of its shard', async (t) => {
  const { reconcile } = retentionActor({ logsDays: 1, historyDays: 1, ...CHANGES });
  const shard = shardOf(RETENTION.kind, RETENTION.key);
  t.strictSame(await reconcile?.find([shard], ports, false), [{ key: RETENTION.key, message: wake }]);
  t.strictSame(await reconcile?.find([(shard + 1) % 64], ports, false), []);
});
