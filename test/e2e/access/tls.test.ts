import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Authority, issueIdentity, openAuthority } from '../../../src/certificates/authority.ts';
import type { Program } from '../harness/program.ts';
import { certificates, handshake, opened, secured } from '../harness/secured.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf } from '../harness/world.ts';

const refused = (agent: Program, reason: RegExp) => until(`${reason}`, () => reason.test(agent.log));

t.test('TLS: an agent that knows the join token gets a certificate, and all work goes through', async (t) => {
  const { world, coordinator, grpc, agent } = await secured(t);
  const first = await agent('host-1');
  await opened(first);
  const kept = join(world.folder, 'host-1/agent/tls');
  t.equal(statSync(join(kept, 'agent.key')).mode & 0o777, 0o600);
  const work = await DemoWork.create(world, clientOf(coordinator), 3);
  await work.deliver(3);
  await work.finished(clientOf(coordinator));
  const [job] = (await clientOf(coordinator).get<{ results: { id: number }[] }>('/v6/jobs/?page_size=1'))
    .results;
  t.ok(job, 'jobs ran');
  const [file] = (await clientOf(coordinator).get<{ results: { id: number; url: string }[] }>('/v6/files/'))
    .results;
  t.ok(file, 'files are stored');

  const seen = await handshake(grpc);
  t.match(seen.protocol, /^TLSv1\.[23]$/);

  const certificate = readFileSync(join(kept, 'agent.pem'), 'utf8');
  await first.end('SIGTERM');
  const again = await agent('host-1', { MILLRACE_JOIN_TOKEN: 'quite-another-token-now' });
  await until('it is let in by its certificate', () => again.log.split('session_opened').length === 3);
  t.equal(readFileSync(join(kept, 'agent.pem'), 'utf8'), certificate, 'the same as before');
});

t.test('TLS: a caller without a certificate, or with another node’s, is refused', async (t) => {
  const { coordinator, world, dir, launchAgent } = await secured(t);
  const at = (name: string) => join(world.folder, name);
  certificates('agent', 'host-7', '--dir', dir, '--out', at('given'));
  // One of another authority's making, and an agent that believes another authority.
  certificates('authority', '--dir', at('other'));
  certificates('agent', 'host-9', '--dir', at('other'), '--out', at('other'));
  mkdirSync(at('forged'));
  for (const [name, from] of [
    ['agent.pem', at('other')],
    ['agent.key', at('other')],
    ['ca.pem', dir],
  ] as const) {
    writeFileSync(join(at('forged'), name), readFileSync(join(from, name)));
  }
  const [stranger, plain, renamed, forger, believer, right] = [
    launchAgent('stranger', { MILLRACE_JOIN_TOKEN: 'a-token-of-another-cluster' }),
    launchAgent('plain', { MILLRACE_TLS: 'off' }),
    launchAgent('host-8', { MILLRACE_TLS_DIR: at('given') }),
    launchAgent('host-9', { MILLRACE_TLS_DIR: at('forged') }),
    launchAgent('host-10', { MILLRACE_TLS_DIR: at('other') }),
    launchAgent('host-7', { MILLRACE_TLS_DIR: at('given'), MILLRACE_JOIN_TOKEN: 'not-needed-with-this' }),
  ];
  await refused(stranger, /the coordinator does not know this join token/);
  await refused(plain, /session_ended/);
  await refused(renamed, /its certificate is that of node 'host-7'/);
  await refused(forger, /it has shown no certificate of this cluster/);
  await refused(believer, /session_ended/);
  await opened(right);
  const { results } = await clientOf(coordinator).get<{ results: { hostname: string }[] }>('/v6/nodes/');
  t.strictSame(
    results.map((node) => node.hostname),
    ['host-7'],
  );
});

t.test('TLS: a deactivated node is refused, and gets no certificate', async (t) => {
  const { coordinator, world, agent } = await secured(t);
  const first = await agent('host-1');
  await opened(first);
  const client = clientOf(coordinator);
  const { results } = await client.get<{ results: { id: number }[] }>('/v6/nodes/');
  await client.patch(`/v6/nodes/${results[0]?.id}/`, { is_active: false });
  await refused(first, /refused: the node was deactivated/);
  rmSync(join(world.folder, 'host-1/agent/tls'), { recursive: true });
  await until('no new one either', () => /"reason":"the node was deactivated"/.test(first.log));
  t.notOk(existsSync(join(world.folder, 'host-1/agent/tls/agent.pem')));
  const sessions = first.log.split('session_opened').length;
  await client.patch(`/v6/nodes/${results[0]?.id}/`, { is_active: true });
  await until('active again, it is let in', () => first.log.split('session_opened').length > sessions);
});

t.test('TLS: a certificate in the last third of its life is replaced at the next connection', async (t) => {
  const { world, dir, agent } = await secured(t);
  const kept = join(world.folder, 'host-1/agent/tls');
  mkdirSync(kept, { recursive: true });
  const authority = (await openAuthority(dir)) as Authority;
  const nowMs = Date.now() - 80 * 86_400_000;
  const old = issueIdentity(authority, {
    role: 'agent',
    name: 'host-1',
    nowMs,
  });
  writeFileSync(join(kept, 'agent.pem'), old.certificate);
  writeFileSync(join(kept, 'agent.key'), old.key);
  writeFileSync(join(kept, 'ca.pem'), readFileSync(join(dir, 'ca.pem')));
  // The old one is enough to ask for a new one: the token was changed meanwhile.
  const renewed = await agent('host-1', { MILLRACE_JOIN_TOKEN: 'a-token-of-long-ago-too' });
  await opened(renewed);
  t.not(readFileSync(join(kept, 'agent.pem'), 'utf8'), old.certificate);
});
