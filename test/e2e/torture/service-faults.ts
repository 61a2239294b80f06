/** Faults of what an installation stands on: PostgreSQL, NATS, the S3 server, and what runs its tasks. */
import { processesOf, signal } from '../harness/folder-processes.ts';
import type { Fault } from './fault.ts';
import type { Installation } from './installation.ts';

const SLOW_BYTES_PER_SECOND = 2_000;

function serverProcesses({ world }: Installation): readonly number[] {
  return processesOf(`${world.folder}/database`).map(({ pid }) => pid);
}

/** Processes of tasks, whoever runs them. */
function taskProcesses({ world }: Installation): readonly number[] {
  return processesOf(world.folder)
    .filter(({ commandLine }) => /^(sh|\/bin\/sh|sleep|tac|gzip) /.test(commandLine))
    .map(({ pid }) => pid);
}

export const SERVICE_FAULTS: Readonly<Record<string, Fault>> = {
  'connections of PostgreSQL reset on their way': async ({ database }) => {
    database.relay.reset();
    return 'all';
  },
  'PostgreSQL cut off': async ({ database }, draw) =>
    draw.during(
      () => database.relay.cut(),
      () => database.relay.heal(),
    ),
  'PostgreSQL restarted': async ({ database }) => {
    await database.restart();
    return 'done';
  },
  'connections of PostgreSQL terminated': async ({ database }) => `${await database.terminateConnections()}`,
  'backend of PostgreSQL killed': async ({ database }) => {
    await database.killBackend();
    return 'one';
  },
  'PostgreSQL stopped and continued': async (all, draw) => {
    const pids = serverProcesses(all);
    const each = (name: NodeJS.Signals) => {
      for (const pid of pids) signal(pid, name);
    };
    return draw.during(
      () => each('SIGSTOP'),
      () => each('SIGCONT'),
    );
  },
  'disk of PostgreSQL full': async ({ disks, database }, draw) =>
    draw.during(
      () => disks.database.fill(),
      async () => {
        disks.database.free();
        // It has given up where it could not write its log.
        await database.restart();
      },
    ),
  'NATS ended and begun': async ({ nats }, draw) =>
    draw.during(
      () => nats.end(),
      () => nats.begin(),
    ),
  'NATS stopped and continued': async ({ nats }, draw) =>
    draw.during(
      () => nats.signal('SIGSTOP'),
      () => nats.signal('SIGCONT'),
    ),
  'S3 cut off': async ({ store }, draw) =>
    draw.during(
      () => store.relay.cut(),
      () => store.relay.heal(),
    ),
  'S3 slow': async ({ store }, draw) =>
    draw.during(
      () => store.relay.slow(SLOW_BYTES_PER_SECOND),
      () => store.relay.heal(),
    ),
  'tasks stopped and continued': async (all, draw) => {
    const pids = taskProcesses(all);
    const each = (name: NodeJS.Signals) => {
      for (const pid of pids) signal(pid, name);
    };
    const text = await draw.during(
      () => each('SIGSTOP'),
      () => each('SIGCONT'),
    );
    return `${pids.length} processes, ${text}`;
  },
};
