/**
 * Answers of a group, each under the key of its request. The statement that saves them also reads the records that the
 * group's turns have created.
 */
import type { KeyedAnswer, RecordRef } from '../../domain/idempotency.ts';
import { FIND_BATCHES } from '../batch/list.ts';
import { FIND_JOBS } from '../job/list.ts';
import { FIND_RECIPES } from '../recipe/list.ts';
import type { Group } from '../sql/group.ts';
import type { Sql, Statement } from '../sql/sql.ts';
import { INSERT_ANSWERS, insertAnswers, insertOf } from './keys.ts';

type Kind = RecordRef['type'] | 'none';

/** In the order of execution. */
const INSERTS: ReadonlyMap<Kind, Statement> = new Map([
  ['job', insertOf('insert_idempotency_keys_of_jobs', FIND_JOBS.text)],
  ['recipe', insertOf('insert_idempotency_keys_of_recipes', FIND_RECIPES.text)],
  ['batch', insertOf('insert_idempotency_keys_of_batches', FIND_BATCHES.text)],
  ['none', INSERT_ANSWERS],
]);

function kindOf(record: KeyedAnswer['record']): Kind {
  return record === null || record.type === 'body' ? 'none' : record.type;
}

/**
 * Runs last in its transaction, so that a transaction with a key waits for nothing else. A used key refuses its turn.
 */
export async function writeAnswers(sql: Sql, group: Group): Promise<void> {
  const placed = group
    .placed('keepAnswers')
    .flatMap(({ turn, change }) => change.answers.map((answer) => ({ turn, answer })));
  if (placed.length === 0) return;
  const byKind = Map.groupBy(placed, ({ answer }): Kind => kindOf(answer.record));
  for (const [kind, statement] of INSERTS) {
    const some = byKind.get(kind) ?? [];
    if (some.length === 0) continue;
    const answers = some.map(({ answer: { record, ...head } }) => {
      const body = record?.type === 'body' ? JSON.stringify(record.body) : null;
      const recordId = record === null || record.type === 'body' ? null : record.id;
      return { ...head, record: body, secretRecord: null, recordId };
    });
    for (const place of await insertAnswers(sql, answers, statement)) {
      const { turn = 0, answer } = some[place] ?? {};
      group.refuse(turn, `keepAnswers: the key of account ${answer?.key.accountId} is taken`);
    }
  }
  group.throwIfRefused();
}
