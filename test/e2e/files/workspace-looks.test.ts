/** Validation of a workspace: agents look at the place, and write nothing. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { testBucket } from '../../support/s3/bucket.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';

interface Findings {
  readonly is_valid: boolean;
  readonly warnings: readonly {
    readonly name: string;
    readonly description: string;
    readonly path: string;
  }[];
}

/** What validation says once the agent has looked: on a busy machine two seconds may be too few. */
function looked(client: InterfaceClient, body: object): Promise<Findings> {
  return until('the agent has looked', async () => {
    const found = await client.post<Findings>('/v6/workspaces/validation/', { title: 'Looked At', ...body });
    return found.warnings.every(({ name }) => name !== 'NO_ANSWER') && found;
  });
}

t.test('workspace looks: an agent looks at a directory', async (t) => {
  const { world, client } = await startPair(t);
  const check = (body: object) => looked(client, body);
  const at = (path: string) => ({ configuration: { broker: { type: 'host', host_path: path } } });
  const place = join(world.folder, 'new');
  t.match(await check(at(place)), {
    is_valid: true,
    warnings: [
      { name: 'UNREACHABLE_WORKSPACE', description: /host-1: .*ENOENT/, path: 'configuration.broker' },
    ],
  });
  mkdirSync(place);
  t.strictSame((await check(at(place))).warnings, []);
  t.strictSame(readdirSync(place), [], 'nothing is written');
  writeFileSync(join(place, '.millrace-workspace'), '00000000-0000-4000-8000-000000000009\n');
  t.match((await check(at(place))).warnings, [{ name: 'UNREACHABLE_WORKSPACE', description: /marked/ }]);
});

t.test(
  'workspace looks: a directory that belongs to another workspace is said to, with its name',
  async (t) => {
    const { world, client } = await startPair(t);
    const place = join(world.folder, 'shared');
    mkdirSync(place);
    const at = (title: string) => ({
      title,
      configuration: { broker: { type: 'host', host_path: place } },
    });
    const made = (title: string) => client.post<{ readonly id: number }>('/v6/workspaces/', at(title));
    const reasonOf = async (id: number) =>
      (await client.get<{ readonly reason: string | null }>(`/v6/workspaces/${id}/`)).reason;
    const { id: first } = await made('First');
    await until('the first is reached', async () => (await reasonOf(first)) === null);

    const belongs = "the directory belongs to the workspace 'first': use that one";
    const { warnings } = await looked(client, at('Second'));
    t.match(warnings, [
      {
        name: 'overlapping_workspace',
        description: /workspace 'first': a node reaches at most one of the two$/,
      },
      { name: 'UNREACHABLE_WORKSPACE', description: `no agent reaches it: host-1: ${belongs}` },
    ]);
    const { id: second } = await made('Second');
    const told = `no node reaches it: host-1 does not reach second: ${belongs}`;
    await until('the reason names the first', async () => (await reasonOf(second)) === told);
    t.equal(await reasonOf(first), null, 'the first keeps it');
  },
);

t.test('workspace looks: an agent mounts an NFS export for the look only', async (t) => {
  const { world, client } = await startPair(t);
  const broker = { type: 'nfs', nfs_path: '127.0.0.1:/no/such/export' };
  const { is_valid: isValid, warnings } = await looked(client, { configuration: { broker } });
  t.ok(isValid);
  t.match(warnings, [
    {
      name: 'UNREACHABLE_WORKSPACE',
      description: /host-1: cannot mount 127\.0\.0\.1:\/no\/such\/export: \S/,
      path: 'configuration.broker',
    },
  ]);
  // A look whose answer came too late may still be under way.
  await until('nothing is left of the look', () => {
    const folders = readdirSync(world.folder, { recursive: true }).map(String);
    return folders.every((path) => !path.includes('look-'));
  });
  const wrong = { type: 'nfs', nfs_path: 'no-path' };
  t.match(await client.post('/v6/workspaces/validation/', { title: 'x', configuration: { broker: wrong } }), {
    is_valid: false,
    errors: [{ path: 'configuration.broker.nfs_path' }],
  });
});

t.test('workspace looks: an agent looks at a bucket', needs('s3'), async (t) => {
  const { name: bucket, endpoint, credentials } = await testBucket(t);
  const { client } = await startPair(t);
  const warnings = async (over: object) => {
    const broker = { type: 'objstore', bucket_name: bucket, endpoint, credentials, ...over };
    const configuration = { broker };
    return (await looked(client, { configuration })).warnings;
  };
  t.strictSame(await warnings({}), []);
  const name = 'UNREACHABLE_WORKSPACE';
  t.match(await warnings({ bucket_name: `${bucket}-gone` }), [{ name, description: /host-1: .*-gone/ }]);
  const refused = await warnings({ credentials: { ...credentials, secret_access_key: 'wrong' } });
  t.match(refused, [{ name, description: /host-1: / }]);
  t.notMatch(JSON.stringify(refused), /wrong/);
});
