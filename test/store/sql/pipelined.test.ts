/** Statements that leave in one piece: what is thrown is what went wrong, whichever answer is heard first. */
import t from 'tap';
import { Group } from '../../../src/store/sql/group.ts';
import { pipelined } from '../../../src/store/sql/pipelined.ts';
import { constraintOf } from '../../../src/store/sql/store-errors.ts';
import { storeWorld } from '../store-world.ts';

/** Goes through more hands than other answers do. */
async function heardLate<T>(answer: Promise<T>): Promise<T> {
  for (let hand = 0; hand < 20; hand += 1) await answer.catch(() => undefined);
  return answer;
}

t.test('pipelined: the first failure is reported, not the errors of later statements', async (t) => {
  const { db } = await storeWorld(t);
  const group = new Group([]);
  const failed = db.sql.transaction((sql) =>
    pipelined(group, [
      () =>
        heardLate(
          sql.execute(
            `insert into recipe_condition (recipe_id, node_name, created) values (1000, 'A', now())`,
          ),
        ),
      () => sql.execute('select 1'),
    ]),
  );
  const error = await failed.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  t.equal(constraintOf(error), 'recipe_condition_recipe_id_fkey');
});
