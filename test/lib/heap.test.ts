import fc from 'fast-check';
import t from 'tap';
import { Heap } from '../../src/lib/heap.ts';

t.test('heap: items come out in order whatever the order they came in', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (items) => {
      const heap = new Heap<number>((a, b) => a < b, items);
      const out: number[] = [];
      for (let item = heap.pop(); item !== undefined; item = heap.pop()) out.push(item);
      return JSON.stringify(out) === JSON.stringify([...items].sort((a, b) => a - b));
    }),
  );
});

t.test('heap: an empty heap has no top', async (t) => {
  const heap = new Heap<number>((a, b) => a < b);

  t.equal(heap.peek(), undefined);
  t.equal(heap.pop(), undefined);
  t.equal(heap.size, 0);
});
