/**
 * Two runs of one ingest that overlap: an agent that was counted lost wakes and continues while another does its work.
 */
import { tmpdir } from 'node:os';
import t from 'tap';
import { performIngest } from '../../../node-agent/ingest/ingest-file.ts';
import { makeWorld, otherFileSystem, sha256 } from './ingest-world.ts';
import { OtherRun } from './other-run.ts';

const elsewhere = await otherFileSystem();
// limit: far more steps than any move takes, so that a loop that never ends is noticed.
const STEPS_MAX = 80;

for (const { how, parent } of [
  { how: 'linked', parent: tmpdir() },
  ...(elsewhere === undefined ? [] : [{ how: 'copied', parent: elsewhere }]),
]) {
  t.test(`overlapping runs: a file that another run ${how} at any step is stored once`, async (t) => {
    const other = await OtherRun.start();
    t.teardown(() => other.stop());
    let isEnough = false;
    for (let at = 1; !isEnough; at += 1) {
      t.ok(at < STEPS_MAX, 'the move ends');
      const world = await makeWorld(t, parent);
      await world.put('from', 'f', 'content');
      const item = await world.item('f', 'd/f');
      let count = 0;
      let where = '';
      const ports = world.startWith((step) => {
        count += 1;
        if (count !== at) return;
        where = step;
        other.performNow({ roots: world.roots, item });
      });
      const result = await performIngest(item, ports);
      isEnough = count < at;
      const place = { workspace: 'to', path: 'd/f' };
      t.match(result, { outcome: 'stored', place, sha256: sha256('content') }, `at step ${at}, ${where}`);
      t.strictSame(await world.files('to'), { 'd/f': 'content' }, `at step ${at}, ${where}`);
      t.strictSame(await world.files('from'), {}, `at step ${at}, ${where}`);
    }
  });
}
