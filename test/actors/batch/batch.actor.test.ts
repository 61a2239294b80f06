/** The owner of a batch, message by message. */
import t from 'tap';
import { batchActor } from '../../../src/actors/batch/batch.actor.ts';
import type { BatchPage, BatchRun } from '../../../src/domain/batch/batch.ts';
import { NOTHING_FORCED } from '../../../src/domain/recipe/forced-nodes.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';
import { makeRecipeRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

type State = NonNullable<Parameters<typeof batchActor.receive>[0]>;
type Message = Parameters<typeof batchActor.receive>[1];

const run: BatchRun = {
  ...{
    id: 7,
    eventId: 1,
    revision: makeRecipeRevision({ A: {} }),
    forced: NOTHING_FORCED,
    configuration: {},
  },
  source: { kind: 'dataset', datasetId: 3, supersedes: false },
  ...{ cursor: 0, isDone: false },
};

/** A member fits nothing: it is skipped. */
const page: BatchPage = {
  ...{ members: [], unfitCount: 1, files: [], workspaces: WORKSPACES, to: 5, isLast: false },
};

const answered = (from: number): Message => ({ type: 'pageRead', about: { from }, result: page });

function receive(state: State, message: Message) {
  return batchActor.receive(state, message, handlerCtx('batch', '7'));
}

t.test('batch: a page of members is saved only once, even if it is read twice', async (t) => {
  const first = receive({ run, isBusy: true }, answered(0));
  t.match(
    first.effects.filter((effect) => effect.type === 'save'),
    [{ change: { type: 'advanceBatch', from: 0, to: 5, skipped: 1 } }],
  );
  const again = receive(first.state as State, answered(0));
  t.same(again.effects, [], 'the cursor is behind it by now');
  t.same(receive({ run: { ...run, isDone: true }, isBusy: false }, answered(0)).effects, []);
});
