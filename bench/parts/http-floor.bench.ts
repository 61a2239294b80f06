/**
 * Answers a second of the smallest call, `/v6/version/`, through all that every call goes through: limits, rates,
 * login, access, schemas.
 *
 * Beside it uWebSockets.js alone with an answer of the same size.
 */
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../test/support/services/find-program.ts';
import { type Bench, ratioOf, runBench } from '../harness/bench.ts';
import { missingPeer } from '../harness/debian.ts';
import { getMany } from '../harness/load/load-client.ts';
import { type Meter, measured } from '../harness/meter.ts';
import { processorSeconds } from '../harness/processor-time.ts';
import { launch, runToEnd } from '../harness/program.ts';
import type { Sample } from '../harness/results/result.ts';
import { startSystem } from '../harness/system.ts';

const PATH = '/v6/version/';
const CONNECTIONS = 32;
const BARE = fileURLToPath(new URL('../peers/uws-hello.ts', import.meta.url));

/** By wrk where it is, else by a client of ours, which takes more of the machine. */
async function load(bench: Bench, base: string, seconds: number, meter: Meter): Promise<Sample> {
  const url = `${base.replace(/\/$/, '')}${PATH}`;
  if (bench.isTiny || findProgram('wrk') === undefined) {
    const count = Math.ceil(seconds * 2_000);
    const { seconds: took, cpu } = await measured(meter, () => getMany(base, PATH, count, CONNECTIONS));
    return { value: count / took, count, cpu };
  }
  let said = '';
  const { cpu } = await measured(meter, async () => {
    said = await runToEnd(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, url]);
  });
  const value = Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]);
  const count = Number(/(\d+) requests in/.exec(said)?.[1]);
  if (/Non-2xx/.test(said) || !Number.isFinite(value)) throw new Error(said);
  return { value, count, cpu };
}

await runBench(import.meta.filename, async (bench) => {
  const seconds = bench.parameter('seconds', 0.01, 5);
  await missingPeer(bench, ['wrk'], 'wrk');
  const system = await startSystem(bench, { agent: 'noop' });
  try {
    const body = JSON.stringify(await system.client.get(PATH));
    const bare = launch(bench, BARE, [body]);
    try {
      const address = await bare.ready;
      const rows = await bench.compare({
        ...{ title: `${PATH} over ${CONNECTIONS} connections`, unit: 'answers/s', each: 'answer' },
        subjects: [
          { name: 'Millrace', work: () => load(bench, system.client.base, seconds, system.meter) },
          {
            ...{ name: 'uWebSockets.js alone', isPeer: true, remark: 'no limits, no login, no rates' },
            work: () =>
              load(bench, address, seconds, { cpu: () => ({ own: processorSeconds(bare.pid).own }) }),
          },
        ],
      });
      bench.aim({
        ...{ text: 'Millrace / uWebSockets.js alone', wanted: 0.85, bound: 'least', unit: 'x' },
        measured: ratioOf(rows, 'Millrace', 'uWebSockets.js alone'),
      });
    } finally {
      await bare.stop();
    }
  } finally {
    await system.stop();
  }
});
