/** What every executor does: docker, oci, plain processes and the one that runs nothing are held to the same. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { TaskFailure } from '../../node-agent/task/task-failure.ts';
import { eventually } from '../support/agent/eventually.ts';
import {
  beginSignalled,
  type ExecutorBed,
  filesBelow,
  output,
  type Place,
  placeFor,
} from './executor-bed.ts';

type Case = (t: Test, place: Place) => Promise<unknown>;

const RUNS: Readonly<Record<string, Case>> = {
  'a task ends with its exit code, its output, its files': async (t, place) => {
    const { task, ended } = await place.begin(
      'echo out; echo err >&2; printf x > "$OUTPUT_DIR/a"; echo "$GIVEN"; exit 7',
      { environment: { GIVEN: 'a b\'c"$d' } },
    );
    t.match(await ended, { how: 'exited', exitCode: 7, isOutOfMemory: false });
    t.equal(output(task), 'out\na b\'c"$d\n');
    t.equal(readFileSync(task.folder.stderr, 'utf8'), 'err\n');
    t.equal(readFileSync(join(task.folder.output, 'a'), 'utf8'), 'x');
    t.ok(place.executor.owns(task, statSync(join(task.folder.output, 'a'))), 'what it wrote is its own');
  },

  'words reach the program as they are': async (t, place) => {
    const { task, ended } = await place.begin('printf "%s|" "$A"; exit 0', {
      environment: { A: '; rm -rf / && `id` $(id) \u00fc\n' },
    });
    t.match(await ended, { exitCode: 0 });
    t.equal(output(task), '; rm -rf / && `id` $(id) \u00fc\n|');
  },

  'a task may end by itself when it is told to': async (t, place) => {
    const { task, ended, signal } = await beginSignalled(place, 'trap "echo told; exit 5" TERM');
    await signal('SIGTERM');
    t.match(await ended, { how: 'exited', exitCode: 5 });
    t.match(output(task), /told/);
    await signal('SIGTERM');
    await signal('SIGKILL');
  },

  'a task that does not listen is ended, and says that a signal did it': async (t, place) => {
    const { ended, signal } = await beginSignalled(place, 'trap "" TERM');
    await signal('SIGKILL');
    t.match(await ended, { how: 'exited', exitCode: 137, isOutOfMemory: false });
  },

  'more memory than was given ends the task, and is reported': async (t, place) => {
    const { ended } = await place.begin('x=a; while :; do x=$x$x$x; done', {
      resources: { cpus: 1, mem: 16 },
    });
    t.match(await ended, { how: 'exited', isOutOfMemory: true });
  },

  'what a task used is reported, and what a task before it used does not count': async (t, place) => {
    const large = 'x=$(head -c 20000000 /dev/zero | tr "\\0" x)';
    const busy = 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done';
    const work = `${large}; ${busy}; head -c 3000000 /dev/zero > "$OUTPUT_DIR/a"; sync; sleep 2.2`;
    const first = await place.begin(work, { resources: { cpus: 1, mem: 256 } });
    const { used } = await first.ended;
    t.match(used, { source: String, memoryBytes: Number }, JSON.stringify(used));
    const memory = used?.memoryBytes ?? 0;
    t.ok(memory > 20_000_000 && memory < 256 * 1024 * 1024, `${memory} bytes of memory`);
    const { processorUs = 0 } = used ?? {};
    t.ok(processorUs > 50_000 && processorUs < 60_000_000, `${processorUs} us`);
    await place.executor.release(first.task);
    rmSync(first.task.folder.root, { recursive: true });
    const second = await (await place.begin('sleep 2.2', { resources: { cpus: 1, mem: 256 } })).ended;
    t.ok((second.used?.memoryBytes ?? 0) < 15_000_000, `${second.used?.memoryBytes} bytes of the next task`);
  },

  'what a task left running ends with it': async (t, place) => {
    const { task, ended } = await place.begin(
      `(while :; do echo x >> "$OUTPUT_DIR/alive"; sleep 0.02; done) &
        while ! [ -e "$OUTPUT_DIR/alive" ]; do sleep 0.02; done`,
    );
    t.match(await ended, { exitCode: 0 });
    const size = () => statSync(join(task.folder.output, 'alive')).size;
    const before = size();
    await new Promise((wake) => setTimeout(wake, 150));
    t.equal(size(), before, 'nothing writes any more');
  },

  'inputs are read, and altered by nobody': async (t, place) => {
    const task = place.task(
      'cat "$IN/f"; echo x >> "$IN/f" || echo refused; touch "$IN/new" || echo refused',
    );
    await place.executor.prepare(task);
    mkdirSync(task.folder.input, { recursive: true, mode: 0o700 });
    writeFileSync(join(task.folder.input, 'f'), 'content ', { mode: 0o600 });
    await place.executor.makeReadOnly(task, join(task.folder.input, 'f'));
    await place.executor.makeFolderReadOnly(task, task.folder.input);
    const environment = { ...task.environment, IN: place.executor.paths(task.folder).input };
    const { ended } = await place.executor.start({ ...task, environment });
    await ended;
    t.equal(output(task), 'content refused\nrefused\n');
  },

  'it has no privileges and gets none': async (t, place) => {
    const { task, ended } = await place.begin('id -u; cat /proc/self/status');
    await ended;
    t.notMatch(output(task), /^0\n/);
    t.match(output(task), /CapPrm:\s+0+\nCapEff:\s+0+\nCapBnd:\s+0+/);
    t.match(output(task), /NoNewPrivs:\s+1/);
  },

  'a program that is not there is a failure to launch, not of the task': async (t, place) => {
    const task = place.task('true', { argv: ['/no/such/program'] });
    if (place.bed.isolation === 'container') return t.pass('the entry point of the image runs all words');
    await place.executor.prepare(task);
    const failure = await place.executor
      .start(task)
      .then(({ ended }) => ended)
      .catch((error: unknown) => error);
    t.type(failure, TaskFailure);
  },

  'a task that runs is found by the next life of the agent': async (t, place) => {
    const { task } = await place.begin(
      'echo one; while ! [ -e "$OUTPUT_DIR/go" ]; do sleep 0.02; done; echo two; exit 4',
    );
    await eventually(() => output(task).includes('one'), 'it to begin');
    await place.restart();
    await place.executor.reclaim(task);
    await place.executor.removeLeftovers(new Set([task.executionId]));
    const found = await place.executor.find(task);
    t.ok(found, 'it is found');
    t.equal(found?.note, task.note);
    writeFileSync(join(task.folder.output, 'go'), '');
    t.match(await found?.ended, { how: 'exited', exitCode: 4 });
    t.equal(output(task), 'one\ntwo\n');
  },

  'a task that ended meanwhile is found with its exit code': async (t, place) => {
    const { task, ended } = await place.begin('echo done; exit 6');
    await ended;
    await place.restart();
    await place.executor.reclaim(task);
    const found = await place.executor.find(task);
    t.equal(found?.note, task.note);
    t.match(await found?.ended, { how: 'exited', exitCode: 6 });
    t.equal(output(task), 'done\n');
  },

  'what was never started is not found': async (t, place) => {
    const task = place.task('true');
    t.equal(await place.executor.find(task), undefined);
    await place.executor.prepare(task);
    t.equal(await place.executor.find(task), undefined);
  },

  'one execution runs once, however often it is started': async (t, place) => {
    const { task, ended } = await place.begin('echo begun; sleep 0.3; exit 3');
    const again = await place.executor.start(task);
    t.match(await again.ended, { exitCode: 3 });
    t.match(await ended, { exitCode: 3 });
    t.equal(output(task), 'begun\n');
  },

  'secrets of the environment reach no file of the task': async (t, place) => {
    const secret = 'correct-horse-battery';
    const { task, ended } = await place.begin('[ "$SECRET" = correct-horse-battery ]', {
      environment: { SECRET: secret },
    });
    t.match(await ended, { exitCode: 0 });
    for (const path of filesBelow(task.folder.root)) t.notMatch(readFileSync(path, 'utf8'), secret, path);
  },
};

const CONTAINS: Readonly<Record<string, Case>> = {
  'a container sees no network, no process and no file but its own': async (t, place) => {
    const script =
      'ls /sys/class/net; echo $$; ls /proc | grep -c "^[0-9]"; ls /home /work 2>&1 | head -n 1; id -u';
    const { task, ended } = await place.begin(script);
    await ended;
    t.match(output(task), /^lo\n1\n[2-6]\nls: .*\n65534\n$/);
  },

  'a container writes its root in a layer of its own': async (t, place) => {
    const script = 'ls /tmp; echo x > /tmp/x && cat /tmp/x';
    for (const round of [1, 2]) {
      const { task, ended } = await place.begin(script);
      t.match(await ended, { exitCode: 0 });
      t.equal(output(task), 'x\n', `round ${round}`);
    }
  },

  'a root that is read-only stays as it is, with room for temporary files': async (t, place) => {
    const { task, ended } = await place.begin(
      'touch /tmp/x && echo tmp; touch /bin/x 2>/dev/null || echo no',
      {
        isRootReadOnly: true,
      },
    );
    await ended;
    t.equal(output(task), 'tmp\nno\n');
  },

  'a container may not look for more rights': async (t, place) => {
    const { task, ended } = await place.begin(
      'unshare -r true || echo no; mount -t tmpfs x /tmp || echo no; grep ^Seccomp: /proc/self/status',
    );
    await ended;
    t.match(output(task), /^no\nno\nSeccomp:\s+2\n$/);
  },

  'mounts are where they are asked for': async (t, place) => {
    const mounted = join(place.folder, 'mounted');
    mkdirSync(mounted, { mode: 0o755 });
    writeFileSync(join(mounted, 'm'), 'mounted ');
    const source = { type: 'host', hostPath: mounted } as const;
    const volume = { type: 'volume', driver: '', driverOptions: {} } as const;
    const { task, ended } = await place.begin(
      'cat /data/m; touch /data/x || echo read-only; ls -d /scratch',
      {
        mounts: [
          { name: 'M', containerPath: '/data', isReadOnly: true, source },
          { name: 'V', containerPath: '/scratch', isReadOnly: false, source: volume },
        ],
      },
    );
    await ended;
    t.equal(output(task), 'mounted read-only\n/scratch\n');
  },

  'a mount that is not there is a failure to launch': async (t, place) => {
    const source = { type: 'host', hostPath: '/no/such/path' } as const;
    const mounts = [{ name: 'M', containerPath: '/data', isReadOnly: true, source }];
    const task = place.task('true', { mounts });
    await place.executor.prepare(task);
    const failure = await place.executor
      .start(task)
      .then(({ ended }) => ended)
      .catch((error: unknown) => error);
    t.match(failure, { errorName: 'docker-task-launch' });
  },

  'an image that is not to be had is a failure to pull': async (t, { executor }) => {
    const { signal } = new AbortController();
    for (const image of ['Not A Reference', '--help', 'localhost:1/no/such:image'])
      await t.rejects(executor.pull(image, signal), { errorName: 'pull' } as never, image);
  },

  'whoever is canceled does not wait for a pull': async (t, { executor }) => {
    const canceled = new AbortController();
    canceled.abort(new Error('canceled'));
    await t.rejects(executor.pull('localhost:1/no/such:other', canceled.signal), { message: 'canceled' });
  },

  'what nobody holds is ended with the next life of the agent': async (t, place) => {
    const { task } = await place.begin('echo up; sleep 600');
    await eventually(() => output(task) === 'up\n', 'it to begin');
    await place.restart();
    await place.executor.removeLeftovers(new Set([task.executionId + 1]));
    await place.restart();
    const found = await place.executor.find(task);
    const end = await found?.ended;
    t.ok(end === undefined || end.how === 'lost' || end.exitCode === 137, JSON.stringify(end));
  },

  'two tasks of one image share nothing': async (t, place) => {
    const all = await Promise.all(
      [1, 2].map((n) => place.begin(`echo ${n} > /tmp/mine; sleep 0.2; cat /tmp/mine`)),
    );
    for (const { ended } of all) await ended;
    t.same(
      all.map(({ task }) => output(task)),
      ['1\n', '2\n'],
    );
  },
};

const ALWAYS: Readonly<Record<string, Case>> = {
  'it says that it can be used': async (t, { executor }) => {
    t.equal(await executor.unavailable(), undefined);
  },

  'a task that ends well is given back, however often, and its folder is all that stays': async (
    t,
    place,
  ) => {
    const { task, ended } = await place.begin('exit 0');
    t.match(await ended, { how: 'exited', exitCode: 0 });
    for (let time = 0; time < 3; time += 1) await place.executor.release(task);
    t.ok(statSync(task.folder.output).isDirectory());
    rmSync(task.folder.root, { recursive: true });
    t.equal(await place.executor.find(task), undefined);
  },

  'what nobody has ever heard of is given back all the same': async (t, { executor, task }) => {
    await executor.release(task('true'));
    await executor.removeLeftovers(new Set());
    t.pass();
  },
};

/** Runs all of it as one test each. */
export function executorConformance(
  t: Test,
  name: string,
  bed: () => Promise<ExecutorBed>,
  options = {},
): void {
  t.test(name, options, async (t) => {
    const opened = await bed();
    const cases = {
      ...ALWAYS,
      ...(opened.isolation === 'nothing' ? {} : RUNS),
      ...(opened.isolation === 'container' ? CONTAINS : {}),
    };
    for (const [what, check] of Object.entries(cases))
      await t.test(`${name}: ${what}`, async (t) => check(t, await placeFor(t, opened)));
  });
}
