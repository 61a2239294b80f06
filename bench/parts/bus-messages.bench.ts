/**
 * Messages a second from the actors of one process to those of another, over NATS: told, routed by shard, encoded,
 * checked, put into mailboxes, handled; with a thousand actors and four rounds of a thousand messages under way.
 *
 * Beside it the client of NATS alone, publishing and subscribing the same JSON.
 */
import { serviceUrl } from '../../test/support/services/services.ts';
import { ratioOf, runBench, type Subject } from '../harness/bench.ts';
import { processorSeconds } from '../harness/processor-time.ts';
import { launch } from '../harness/program.ts';
import { runPeer } from '../peers/run-peer.ts';

const OURS = 'between actors';
const BARE = 'NATS alone';
const COORDINATOR = new URL('../harness/load/bus-coordinator.ts', import.meta.url);
const BARE_NATS = new URL('../peers/bare-nats.ts', import.meta.url);

await runBench(import.meta.filename, async (bench) => {
  const messages = bench.parameter('messages', 2_000, 300_000);
  const url = await serviceUrl('nats');
  let runs = 0;
  /** A receiver of its own each time: it counts from nothing. */
  const subject = (name: string, program: URL): Pick<Subject, 'name' | 'work'> => ({
    name,
    work: async () => {
      runs += 1;
      const env = { BENCH_CLUSTER: `${process.pid}-${runs}` };
      const receiver = launch(bench, program.pathname, ['receiver', url], env);
      try {
        await receiver.ready;
        const meter = { cpu: () => ({ receiver: processorSeconds(receiver.pid).own }) };
        return await runPeer(program, ['sender', url, String(messages)], messages, meter, env);
      } finally {
        await receiver.stop();
      }
    },
  });
  const rows = await bench.compare({
    ...{ title: 'Between two processes', unit: 'messages/s', each: 'message' },
    subjects: [
      subject(OURS, COORDINATOR),
      { ...subject(BARE, BARE_NATS), isPeer: true, remark: 'no addresses, no mailboxes, no turns' },
    ],
  });
  const measured = ratioOf(rows, OURS, BARE);
  bench.aim({ text: `${OURS} / ${BARE}`, measured, wanted: 0.5, bound: 'least', unit: 'x' });
});
