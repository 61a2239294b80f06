import { spawnSync } from 'node:child_process';
import t from 'tap';

/** A /sys of its own, without control groups, as `ip netns exec` and some containers have it. */
const WITHOUT = ['--net', '--mount', 'sh', '-ec', 'mount -t sysfs sysfs /sys; exec "$@"', 'sh'];
const within = (...command: string[]) =>
  spawnSync('unshare', [...WITHOUT, ...command], {
    encoding: 'utf8',
    timeout: 25_000,
    killSignal: 'SIGKILL',
  });

const options = within('true').status === 0 ? {} : { skip: 'no /sys can be mounted here' };

t.test('control groups: where none are mounted the agent finds none, and continues', options, async (t) => {
  const file = new URL('../../../node-agent/executor/cgroup.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(file)}).then(async ({ probeCgroups }) => {
    process.stdout.write(String(await probeCgroups('millrace-test-none')));
  })`;
  const { status, stdout, stderr } = within(process.execPath, '-e', script);
  t.equal(stderr, '');
  t.equal(stdout, 'undefined');
  t.equal(status, 0);
});
