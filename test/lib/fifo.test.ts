/** The queue that mailboxes use. */
import t from 'tap';
import { Fifo } from '../../src/lib/fifo.ts';

t.test('fifo: the order is kept for any sequence of push and shift', async (t) => {
  const fifo = new Fifo<number>();
  const out: number[] = [];
  let next = 0;
  for (let round = 0; round < 200; round++) {
    for (let n = 0; n < (round * 7) % 41; n++) fifo.push(next++);
    for (let n = 0; n < (round * 5) % 37; n++) {
      const item = fifo.shift();
      if (item !== undefined) out.push(item);
    }
  }
  const left = fifo.length;
  out.push(...fifo.drain());
  t.ok(left > 0);
  t.equal(fifo.length, 0);
  t.same(out, [...Array(next).keys()]);
});

t.test('fifo: prepended items come first', async (t) => {
  const fifo = new Fifo<number>();
  for (const n of [1, 2, 3, 4]) fifo.push(n);
  fifo.shift();
  fifo.shift();
  fifo.prepend([1, 2]);
  t.equal(fifo.peek(), 1);
  t.same(fifo.drain(), [1, 2, 3, 4]);
  t.equal(fifo.shift(), undefined);
});
