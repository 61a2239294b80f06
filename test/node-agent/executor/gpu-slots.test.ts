import t from 'tap';
import { GpuSlots } from '../../../node-agent/executor/gpu-slots.ts';

t.test('gpu slots: no two executions share a device', async (t) => {
  const slots = new GpuSlots(3);
  t.same(slots.lend(1, 1), [0]);
  t.same(slots.lend(2, 2), [1, 2]);
  t.same(slots.lend(1, 1), [0], 'the same as long as it holds it');
  t.equal(slots.lend(3, 1), undefined);
  t.same(slots.lend(4, 0), [], 'none is always there');
  slots.giveBack(1);
  slots.giveBack(1);
  t.same(slots.lend(3, 1), [0]);
});

t.test('gpu slots: devices that a task holds since before a restart are not given to another', async (t) => {
  const slots = new GpuSlots(2);
  slots.adopt(7, [1]);
  slots.adopt(8, []);
  t.same(slots.lend(9, 1), [0]);
  t.equal(slots.lend(10, 1), undefined);
  t.ok(new GpuSlots(0).isEmpty);
});
