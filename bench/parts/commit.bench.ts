/**
 * Whole job lives a second through the committer's port: queued with its event, placed, ended with its execution, each
 * a turn of its own, in groups, on parallel lanes.
 *
 * Beside it the rows of the same lives as three bare statements a group.
 */
import { storeWorld } from '../../test/store/store-world.ts';
import { runBench } from '../harness/bench.ts';
import { openTestDatabases } from '../harness/database.ts';
import { runLives } from '../harness/load/lives.ts';
import { type Meter, OWN_METER, rate } from '../harness/meter.ts';
import { openBareLives } from '../peers/bare-lives.ts';

const GROUPS = [1, 50, 200, 500];

await runBench(import.meta.filename, async (bench) => {
  const lives = bench.parameter('lives', 20, 10_000);
  const single = bench.parameter('single-lives', 5, 1_000);
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  const bare = await openBareLives();
  const meter: Meter = {
    cpu: () => ({ ...OWN_METER.cpu(), ...database?.meter.cpu() }),
    ...(database === undefined ? {} : { wal: database.meter.wal }),
  };
  try {
    for (const group of GROUPS) {
      const count = group === 1 ? single : lives;
      const turns = group === 1 ? 'one turn' : `${group} turns`;
      await bench.compare({
        ...{ title: `${turns} a transaction`, unit: 'lives/s', each: 'life' },
        subjects: [
          { name: 'committer', work: () => runLives(world, count, group, meter) },
          {
            ...{
              name: 'bare SQL of the same rows',
              isPeer: true,
              remark: 'no leases, guards by turn or counters',
            },
            work: () => rate(count, meter, () => bare.run(count, group)),
          },
        ],
      });
    }
  } finally {
    await bare.close();
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
