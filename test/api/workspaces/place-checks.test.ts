/** Validation of a workspace has agents check the place. Their answers are simulated. */
import t from 'tap';
import { KernelError } from '../../../src/kernel/mod.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';

const HOST = { broker: { type: 'host', host_path: '/srv/files' } };
const OBJSTORE = {
  broker: {
    type: 'objstore',
    bucket_name: 'my-bucket',
    credentials: { access_key_id: 'KEYID', secret_access_key: 'hush-hush' },
  },
};

interface Look {
  readonly to: object;
  readonly message: { readonly type: string; readonly workspace: { readonly uuid: string } };
}

t.test('workspaces: validation has agents look at the place, and warns of their findings', async (t) => {
  const world = await platformWorld(t);
  const { node, node2 } = world.store.ids;
  let sent: readonly Look[] = [];
  const warnings = async (body: object) => {
    const before = world.sent.length;
    const { json } = await world.post('/v6/workspaces/validation/', { title: 'x', ...body });
    t.match(json, { is_valid: true, errors: [] }, 'warnings refuse nothing');
    sent = world.sent.slice(before) as unknown as Look[];
    return json.warnings as { name: string; description: string; path: string }[];
  };
  const path = 'configuration.broker';
  t.match(await warnings({ configuration: HOST }), [
    { name: 'UNREACHABLE_WORKSPACE', description: /no agent is connected/, path },
  ]);

  await world.store.rows('update node set is_online = true');
  const answers = new Map<string, unknown>();
  world.onAsk = ({ to }) => {
    const answer = answers.get(to.key);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const sees = (nodeId: number, reason: string, isUnmarked = false) =>
    answers.set(String(nodeId), { isReachable: reason === '', isUnmarked, reason });
  const silent = new KernelError({ code: 'DEADLINE', message: 'no answer' });
  const gone = 'there is no such directory';

  sees(node, gone);
  sees(node2, gone);
  t.strictSame(await warnings({ configuration: HOST }), [
    {
      name: 'UNREACHABLE_WORKSPACE',
      description: `no agent reaches it: one, two: ${gone}`,
      path,
    },
  ]);
  sees(node2, 'the directory carries no marker', true);
  t.strictSame(await warnings({ configuration: HOST }), [], 'one of them may mark it');
  const refused = 'this agent cannot write one: permission is denied';
  sees(node2, refused, true);
  t.match(await warnings({ configuration: HOST }), [
    { name: 'UNREACHABLE_WORKSPACE', description: `no agent reaches it: one: ${gone}; two: ${refused}` },
  ]);
  sees(node2, 'the directory carries no marker', true);
  answers.set(String(node), silent);
  t.match(await warnings({ configuration: HOST }), [
    { name: 'NO_ANSWER', description: /^one did not answer/, path },
  ]);
  sees(node2, gone);
  t.match(await warnings({ configuration: HOST }), [
    { name: 'UNREACHABLE_WORKSPACE', description: /two: there is no/ },
    { name: 'NO_ANSWER', description: /^one did not/ },
  ]);

  sees(node, '');
  t.strictSame(await warnings({ configuration: OBJSTORE }), []);
  t.equal(sent.length, 2);
  t.notMatch(JSON.stringify(sent), /hush-hush/, 'credentials are encrypted in messages');
  t.match(sent[0], { to: { kind: 'node', key: String(node) }, message: { type: 'lookAt' } });
  t.not(sent[0]?.message.workspace.uuid, '00000000-0000-4000-8000-000000000001');
  await warnings({ configuration: HOST, name: 'in' });
  t.equal(sent[0]?.message.workspace.uuid, '00000000-0000-4000-8000-000000000001', 'it knows its marker');

  const before = world.sent.length;
  await world.post('/v6/workspaces/validation/', { title: 'x', configuration: { broker: { type: 'nfs' } } });
  t.equal(world.sent.length, before, 'nobody looks at what is no configuration');
});
