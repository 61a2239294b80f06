import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { EventWatermark } from '../../../node-agent/monitor/event-watermark.ts';
import { makeWatch, realClock, settled, until } from './watch-world.ts';

// Goal: whatever senders do, each file is reported complete with its final size, once, and never before.
// Method: another process sends in every way at once, with quick events, with floods, and with listings all
// the time.
const CASES = [
  { name: 'undisturbed', options: {} },
  { name: 'in floods', options: { watermark: new EventWatermark(realClock, 4) } },
  { name: 'listed all the time', options: { listEveryMs: 15 } },
];

for (const { name, options } of CASES) {
  t.test(`watch: no file is reported before it is complete, ${name}`, async (t) => {
    const world = await makeWatch(t, { stableMs: 1_000, ...options });
    await settled(world);
    const sender = join(import.meta.dirname, 'busy-senders.ts');
    // A clean environment: the test runner would otherwise instrument the sender.
    const run = await promisify(execFile)(process.execPath, [sender, world.root, world.beside, '8'], {
      env: {},
    });
    const sent: Record<string, number> = JSON.parse(run.stdout);

    const complete = () => world.reports.filter(({ arrival }) => arrival === 'complete');
    const paths = () => new Set(complete().map(({ path }) => path));
    await until('all are reported', () => paths().size >= Object.keys(sent).length);

    const wrong = complete().filter(({ path, size }) => sent[path] !== size);
    t.strictSame(wrong, [], 'each with its final size');
    t.equal(new Set(complete().map(({ path, identity }) => `${path} ${identity}`)).size, complete().length);
    t.strictSame([...paths()].sort(), Object.keys(sent).sort());
    t.notOk(
      world.reports.some(({ arrival }) => arrival === 'gone'),
      'none was lost',
    );
  });
}
