/**
 * What the stream of changes costs, and how soon a change is read.
 *
 * Whole lives of jobs through the committer's port, with the stream (its triggers, and ticks as fast as they are given)
 * and without (its triggers disabled), in turn.
 */
import { giveTick } from '../../src/store/change/ticks.ts';
import { type StoreWorld, storeWorld } from '../../test/store/store-world.ts';
import { runBench } from '../harness/bench.ts';
import { openTestDatabases } from '../harness/database.ts';
import { runLives } from '../harness/load/lives.ts';
import { type Meter, OWN_METER } from '../harness/meter.ts';

const GROUPS = [10, 100, 500];
/** The pause between two ticks under load. */
const TICK_MS = 20;

/** Disables the stream's triggers. */
async function disableStream(world: StoreWorld): Promise<void> {
  const triggers = await world.rows<{ statement: string }>(
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as statement from pg_trigger
     where not tgisinternal and (tgname like '%\\_version' or tgname like '%\\_tell\\_%')`,
  );
  for (const { statement } of triggers) await world.rows(statement);
}

/** Gives ticks for as long as `work` takes. */
async function ticking<T>(world: StoreWorld, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const ticks = (async () => {
    while (!isOver) {
      await giveTick(world.db.sql);
      await new Promise((wake) => setTimeout(wake, TICK_MS));
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await ticks;
  }
}

await runBench(import.meta.filename, async (bench) => {
  const lives = bench.parameter('lives', 20, 10_000);
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  const newWorld = () => storeWorld({ teardown: (down) => void downs.push(down) });
  const [streamed, unstreamed] = [await newWorld(), await newWorld()];
  await disableStream(unstreamed);
  const meter: Meter = {
    cpu: () => ({ ...OWN_METER.cpu(), ...database?.meter.cpu() }),
    ...(database === undefined ? {} : { wal: database.meter.wal }),
  };
  try {
    for (const group of GROUPS) {
      await bench.compare({
        ...{ title: `${group} turns a transaction`, unit: 'lives/s', each: 'life' },
        subjects: [
          {
            name: 'with the stream',
            work: () => ticking(streamed, () => runLives(streamed, lives, group, meter)),
          },
          { name: 'triggers disabled', work: () => runLives(unstreamed, lives, group, meter) },
        ],
      });
    }
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
