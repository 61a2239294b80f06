import t from 'tap';
import { Room } from './room.ts';

const GIB = 1024 ** 3;

/** Two processors whose times a test moves on. */
function machine() {
  const times = { user: 100, nice: 0, sys: 0, idle: 1_000, irq: 0 };
  const made = { memory: 8 * GIB };
  return {
    pass(busyMs: number, idleMs: number): void {
      times.user += busyMs;
      times.idle += idleMs;
    },
    made,
    cpus: () => [{ times: { ...times } }, { times: { ...times } }],
    availableMemory: () => made.memory,
  };
}

t.test('room: there is room while processors idle, since it was asked last', async (t) => {
  const one = machine();
  const room = new Room(one);
  t.notOk(room.isThere(), 'no time has passed');
  one.pass(800, 200);
  t.ok(room.isThere());
  one.pass(900, 100);
  t.notOk(room.isThere(), 'earlier idle time does not count again');
  one.pass(0, 1_000);
  t.ok(room.isThere());
});

t.test('room: there is none without memory', async (t) => {
  const one = machine();
  const room = new Room(one);
  one.made.memory = GIB;
  one.pass(0, 1_000);
  t.notOk(room.isThere());
  one.made.memory = 3 * GIB;
  one.pass(0, 1_000);
  t.ok(room.isThere());
});
