/**
 * A program: an agent that offers 1,000 cpus, however many the host has, with the executor that is named: one that ends
 * every task at once, so that what is measured is Millrace and not what tasks do, or any other. Several agents share
 * the cpus; each has a node, a folder and a session of its own, as on a host of its own.
 * Arguments: coordinators' addresses, folder, executor, number of agents. Their join token comes by
 * MILLRACE_JOIN_TOKEN.
 */
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type Agent, startAgent } from '../../../node-agent/agent.ts';
import { systemClock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS } from '../../../node-agent/config.ts';
import { createRng } from '../../../src/coordinator/random.ts';
import { createLogger } from '../../../src/observe/log.ts';

const CPUS = 1_000;
const MIB = 10_000_000;
// limit: agents that start at once. The coordinator disconnects peers that stay strangers for long.
const STARTS_AT_ONCE = 16;

const [addresses = '', folder = '', executor = '', given = '1'] = process.argv.slice(2);
const count = Number(given);

async function start(number: number): Promise<Agent> {
  const agent = await startAgent({
    config: {
      ...AGENT_DEFAULTS,
      nodeName: count === 1 ? 'bench' : `bench-${number}`,
      version: '0.0.0',
      folder: count === 1 ? folder : join(folder, String(number)),
      addresses: addresses.split(','),
      joinToken: process.env.MILLRACE_JOIN_TOKEN ?? '',
      executors: [executor],
      resources: { cpus: CPUS / count, mem: MIB / count, disk: MIB / count },
    },
    log: createLogger({ level: 'warn', name: 'agent' }),
    clock: systemClock,
    random: createRng(),
  });
  await agent.welcomed;
  return agent;
}

// The clock's timers keep no process alive.
const alive = setInterval(() => undefined, 3_600_000);
const starts = pLimit(STARTS_AT_ONCE);
const agents = await Promise.all(Array.from({ length: count }, (_, number) => starts(start, number)));
process.stdout.write('ready\n');
process.once('SIGTERM', () => {
  clearInterval(alive);
  for (const agent of agents) void agent.stop({ drain: false });
});
