/** `node list` says what keeps a node from work. */
import t from 'tap';
import { startPair } from '../../e2e/harness/pair.ts';
import { until } from '../../e2e/harness/until.ts';
import { typed } from './typed-process.ts';

t.test('node list: says that no executor works, and that a node is offline', async (t) => {
  // There is no engine.
  const { world, coordinator, agent } = await startPair(t, {
    agent: { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: 'unix:///nothing/docker.sock' },
  });
  const run = (...args: string[]) => typed(world, [...args, '--server', coordinator.url]);
  const shows = (what: string, pattern: RegExp) =>
    until(what, async () => pattern.test((await run('node', 'list')).out), 60_000);
  await shows('the warning is listed', /^\d+ +host-1 +active +No Executor Works$/m);
  t.match(await run('node', 'drain', 'host-1', '--reason', 'new disk'), { code: 0 });
  t.match(await run('node', 'list'), { code: 0, out: /host-1 +paused +new disk$/m }, 'at once');
  t.match(await run('node', 'resume', 'host-1'), { code: 0 });
  t.match(await run('node', 'list'), { code: 0, out: /host-1 +active / });
  await agent.end('SIGKILL');
  await shows('it is offline', /^\d+ +host-1 +offline/m);
});
