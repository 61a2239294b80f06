/**
 * A program: the nats client alone. As `receiver` it counts messages of one subject and tells on another how many have
 * come; as `sender` it publishes `count` of them when a line comes. Arguments: role, NATS, count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, JSONCodec } from 'nats';
import { awaitGo, say } from './go.ts';

const [role = '', servers = '', given = '0'] = process.argv.slice(2);
const messages = Number(given);
const ROUND = 1_000;
const AHEAD = 4;
const subject = `bench-bare-${process.env.BENCH_CLUSTER ?? ''}`;
const json = JSONCodec<{ type: string; n: number }>();
const connection = await connect({ servers });

if (role === 'receiver') {
  let handled = 0;
  connection.subscribe(subject, {
    callback: (_, message) => {
      if (json.decode(message.data).type === 'count') handled += 1;
    },
  });
  connection.subscribe(`${subject}.asked`, {
    callback: (_, message) => void message.respond(String(handled)),
  });
  await connection.flush();
  say('ready');
} else {
  say('ready');
  await awaitGo();
  const counted = async (): Promise<number> =>
    Number((await connection.request(`${subject}.asked`, undefined, { timeout: 60_000 })).string());
  const asked: Promise<number>[] = [];
  for (let sent = 0; sent < messages; ) {
    for (let n = 0; n < ROUND && sent < messages; n += 1, sent += 1) {
      connection.publish(subject, json.encode({ type: 'count', n: sent }));
    }
    asked.push(counted());
    if (asked.length > AHEAD) await asked.shift();
  }
  await Promise.all(asked);
  while ((await counted()) < messages) await sleep(1);
  say('done');
}
