/** Control groups that a later container gets, and what makes them unfit for it. Needs version 1, and root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findGroupPlaces, groupsOf } from '../../../node-agent/executor/oci/light/groups.ts';
import { KeptGroups } from '../../../node-agent/executor/oci/light/kept-groups.ts';

const isPossible =
  process.getuid?.() === 0 && existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes')
    ? {}
    : { skip: 'not run: needs root, and control groups of version 1' };
const MIB = 1024 * 1024;
const PREFIX = `millrace-test-${process.pid}`;

interface Made {
  readonly kept: KeptGroups;
  /** Groups of a container, as they are to be; `make` makes them. */
  groups(name: string, memoryMib?: number): ReturnType<typeof groupsOf>;
  make(groups: ReturnType<typeof groupsOf>): void;
  /** Names of this test's groups. */
  names(): string[];
}

function begin(t: Test): Made {
  const places = findGroupPlaces();
  const memory = places.memory as string;
  const names = () => readdirSync(memory).filter((name) => name.startsWith(PREFIX));
  t.teardown(() => {
    for (const place of Object.values(places))
      for (const name of readdirSync(place).filter((one) => one.startsWith(PREFIX)))
        rmdirSync(join(place, name));
  });
  return {
    kept: new KeptGroups(PREFIX),
    groups: (name, memoryMib = 64) =>
      groupsOf(places, `${PREFIX}-${name}`, {
        devices: [],
        memory: { limit: memoryMib * MIB },
        pids: { limit: 100 },
        cpu: { quota: 50_000, period: 100_000 },
      }),
    make: ({ paths, limits }) => {
      for (const path of new Set(Object.values(paths))) mkdirSync(path);
      for (const [path, value] of limits) writeFileSync(path, value);
    },
    names,
  };
}

/** Runs a script in the groups to its end. */
async function runIn({ paths }: ReturnType<typeof groupsOf>, script: string): Promise<void> {
  const enter = Object.values(paths).map((path) => `echo 0 > ${path}/tasks`);
  const child = spawn('/bin/sh', ['-c', [...enter, script].join('; ')], { stdio: 'ignore' });
  await once(child, 'exit');
}

t.test(
  'kept groups: the next container with equal limits gets them, and figures of its own',
  isPossible,
  async (t) => {
    const { kept, groups, make, names } = begin(t);
    const first = groups('1');
    t.equal(kept.give(first), undefined, 'none is kept');
    make(first);
    await runIn(first, 'x=$(head -c 20000000 /dev/zero | tr "\\0" a)');
    t.ok(kept.keep(first.paths));
    t.strictSame(names(), [`${PREFIX}-kept-1`]);
    t.equal(kept.give(groups('2', 65)), undefined, 'other limits');
    const { paths, chargedBytes = Number.NaN } = kept.give(groups('3')) ?? {};
    t.ok(chargedBytes <= 4 * MIB, `${chargedBytes}`);
    t.strictSame(paths, groups('kept-1').paths, 'they keep their names');
    t.strictSame(names(), [`${PREFIX}-kept-1`]);
    const read = kept.readerOf(paths ?? {});
    const number = (path = '', name = ''): number => Number(read(join(path, name)));
    t.equal(number(paths?.memory, 'memory.limit_in_bytes'), 64 * MIB);
    const used = () => [
      number(paths?.memory, 'memory.max_usage_in_bytes'),
      number(paths?.cpuacct ?? paths?.cpu, 'cpuacct.usage'),
    ];
    t.ok((used()[0] ?? Number.NaN) <= 4 * MIB);
    t.ok((used()[1] ?? Number.NaN) < 1_000_000);
    t.equal(kept.give(groups('4')), undefined, 'they are in use');

    await runIn({ ...groups('3'), paths: paths ?? {} }, 'x=$(head -c 20000000 /dev/zero | tr "\\0" a)');
    t.ok((used()[0] ?? 0) > 16 * MIB, 'an open file shows the next container’s figures');
    t.ok((used()[1] ?? 0) > 1_000_000);
    t.ok(kept.keep(paths ?? {}));
    t.notOk(kept.keep(paths ?? {}), 'they are no longer its own');
  },
);

const UNFIT: Readonly<Record<string, string>> = {
  'memory that stays': `head -c 8000000 /dev/zero > /dev/shm/${PREFIX}`,
  'a process that was killed for its memory': 'dd if=/dev/zero of=/dev/null bs=200M count=1; true',
};

for (const [what, script] of Object.entries(UNFIT)) {
  t.test(`kept groups: not with ${what}`, isPossible, async (t) => {
    const { kept, groups, make, names } = begin(t);
    t.teardown(() => rmSync(`/dev/shm/${PREFIX}`, { force: true }));
    const one = groups('1');
    kept.give(one);
    make(one);
    await runIn(one, script);
    t.notOk(kept.keep(one.paths));
    t.strictSame(names(), [`${PREFIX}-1`], 'they are left for whoever removes them');
  });
}

t.test('kept groups: not with a process in them', isPossible, async (t) => {
  const { kept, groups, make } = begin(t);
  const one = groups('1');
  kept.give(one);
  make(one);
  const child = spawn('/bin/sleep', ['600']);
  for (const path of new Set(Object.values(one.paths)))
    writeFileSync(join(path, 'cgroup.procs'), `${child.pid}`);
  t.notOk(kept.keep(one.paths));
  child.kill('SIGKILL');
  await once(child, 'exit');
});

t.test('kept groups: files of those that somebody else removes are closed', isPossible, async (t) => {
  const { kept, groups, make } = begin(t);
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (const name of ['1', '2', '3']) {
    const one = groups(name);
    kept.give(one);
    make(one);
    t.ok(kept.keep(one.paths));
    const { paths = {} } = kept.give(groups('next')) ?? {};
    t.ok(openFiles() > before);
    // Its container was killed.
    kept.forget(paths);
    for (const path of new Set(Object.values(paths))) rmdirSync(path);
  }
  t.equal(openFiles(), before);
});

t.test('kept groups: none is left by a stop, nor by an agent that was killed', isPossible, async (t) => {
  const { kept, groups, make, names } = begin(t);
  const keepOne = (): void => {
    const one = groups('1');
    const given = kept.give(one);
    if (given === undefined) make(one);
    t.ok(kept.keep(given?.paths ?? one.paths));
  };
  keepOne();
  kept.close();
  t.strictSame(names(), []);
  keepOne();
  keepOne();
  const both = names();
  t.equal(both.length, 1, 'the second one has those of the first');
  kept.give(groups('1'));
  const two = groups('2');
  kept.give(two);
  make(two);
  t.ok(kept.keep(two.paths));
  t.equal(names().length, 2);
  const next = new KeptGroups(PREFIX);
  next.removeLeftovers([groups('kept-2').paths]);
  t.strictSame(names(), [`${PREFIX}-kept-2`], 'a container that continues has those');
  next.give(two);
  make(two);
  t.ok(next.keep(two.paths));
  t.strictSame(names().sort(), [`${PREFIX}-kept-1`, `${PREFIX}-kept-2`], 'a name that is free');
  new KeptGroups(PREFIX).removeLeftovers([]);
  t.strictSame(names(), []);
});
