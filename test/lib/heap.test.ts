import fc from 'fast-check';
import t from 'tap';
import { Heap } from '../../src/lib/heap.ts';

t.test('heap: items come out in order, for any order of insertion', async () => {
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

t.test(
  'heap: items that are removed by their reported place do not come out, and all others do',
  async () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer(), fc.boolean())), (entries) => {
        const items = entries.map(([value, isRemoved]) => ({ value, isRemoved, place: -1 }));
        const heap = new Heap<(typeof items)[number]>(
          (a, b) => a.value < b.value,
          items,
          (item, place) => {
            item.place = place;
          },
        );
        for (const item of items) if (item.isRemoved) heap.removeAt(item.place);
        const out: number[] = [];
        for (let item = heap.pop(); item !== undefined; item = heap.pop()) out.push(item.value);
        const left = items.filter((item) => !item.isRemoved).map((item) => item.value);
        return JSON.stringify(out) === JSON.stringify(left.sort((a, b) => a - b));
      }),
    );
  },
);
