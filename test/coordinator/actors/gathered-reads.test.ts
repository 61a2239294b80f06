/** Reads that are requested at the same time share a bounded statement, and fail separately. */
import t from 'tap';
import { gatheredReads } from '../../../src/coordinator/actors/gathered-reads.ts';
import type { FileFacts } from '../../../src/domain/filter/filter-evaluate.ts';

const fact = (id: number): FileFacts => {
  return { fileName: `f${id}`, mediaType: 'text/plain', dataTypes: [], metaData: null };
};

function reader(isRefused: (ids: readonly number[]) => boolean = () => false) {
  const reads: number[][] = [];
  const read = async (ids: readonly number[]) => {
    reads.push([...ids]);
    if (isRefused(ids)) throw new Error(`refused: ${ids.length}`);
    return new Map(ids.map((id) => [id, fact(id)]));
  };
  return { reads, facts: gatheredReads(read, 100) };
}

t.test('gathered reads: simultaneous requests share a read, and later ones have their own', async (t) => {
  const { reads, facts } = reader();
  const [one, other] = await Promise.all([facts([1, 2]), facts([2, 3])]);
  t.strictSame(reads, [[1, 2, 3]]);
  t.match(one?.get(1), { fileName: 'f1' });
  t.match(other?.get(3), { fileName: 'f3' });
  await facts([1]);
  t.strictSame(reads.slice(1), [[1]], 'nothing is kept');
});

t.test('gathered reads: a shared read is bounded, and a larger request is read alone', async (t) => {
  const { reads, facts } = reader();
  const many = Array.from({ length: 140 }, (_, id) => id);
  await Promise.all([facts([1]), facts(many), facts(many.slice(0, 60)), facts(many.slice(60, 100))]);
  t.strictSame(
    reads.map((ids) => ids.length),
    [1, 140, 100],
  );
});

t.test('gathered reads: a request whose keys cannot be read fails alone', async (t) => {
  const { reads, facts } = reader((ids) => ids.includes(7));
  const answers = await Promise.allSettled([facts([1]), facts([7]), facts([2])]);
  t.strictSame(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.strictSame(reads, [[1, 7, 2], [1], [7], [2]]);
});
