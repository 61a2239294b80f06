import t from 'tap';
import {
  WORKSPACE_CREDENTIALS,
  withEncryptedCredentials,
} from '../../../src/api/workspaces/encrypted-credentials.ts';
import { withOpenedWorkspaces } from '../../../src/api/workspaces/opened-workspaces.ts';
import type { CoordinatorMessage, WorkspaceRef } from '../../../src/domain/node/coordinator-messages.ts';
import { withoutCredentials } from '../../../src/domain/workspace/withheld-credentials.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';

const encryption = encryptionOf(Buffer.alloc(32, 1));
const credentials = { access_key_id: 'key', secret_access_key: 'secret' };

function ref(broker: object): WorkspaceRef {
  return { uuid: 'u', name: 'n', configuration: JSON.stringify({ broker }) };
}

function bucket(more: object = {}): WorkspaceRef {
  const broker = { type: 'objstore', bucket_name: 'bbb', credentials, ...more };
  return ref(withEncryptedCredentials(broker, encryption, WORKSPACE_CREDENTIALS));
}

function opened(workspace: WorkspaceRef, opening: object = {}): Record<string, unknown> {
  const asked: CoordinatorMessage = { type: 'checkWorkspaces', workspaces: [workspace], claimUuids: [] };
  const [message] = withOpenedWorkspaces([asked], { encryption, ...opening });
  const [one] = (message as typeof asked).workspaces;
  return (JSON.parse(one?.configuration ?? '{}') as { broker: Record<string, unknown> }).broker;
}

t.test('opened workspaces: credentials are decrypted for an agent, whatever the message', async (t) => {
  t.notOk(bucket().configuration.includes('secret_access_key'), 'sealed before');
  t.strictSame(opened(bucket()), { type: 'objstore', bucket_name: 'bbb', credentials });
  const workspace = bucket();
  const single: CoordinatorMessage = {
    type: 'sendFile',
    requestId: 'r',
    workspace,
    path: 'p',
    offset: 0,
    length: 0,
    receiver: '',
    onlyLook: false,
  };
  const [message] = withOpenedWorkspaces([single], { encryption });
  t.ok(JSON.stringify(message).includes('secret_access_key'));
  t.notOk(JSON.stringify(single).includes('secret_access_key'), 'the message itself stays as it was');
});

t.test('opened workspaces: workspaces without an endpoint use the installation’s', async (t) => {
  const s3Endpoint = 'http://store:9000';
  t.equal(opened(bucket(), { s3Endpoint }).endpoint, s3Endpoint);
  t.equal(opened(bucket({ endpoint: 'http://own:1' }), { s3Endpoint }).endpoint, 'http://own:1');
});

t.test('opened workspaces: undecryptable credentials are marked, and hold nothing else up', async (t) => {
  const other = encryptionOf(Buffer.alloc(32, 2));
  t.strictSame(opened(bucket(), { encryption: other }).credentials, { unreadable: true });
  t.strictSame(opened(ref({ type: 'host', host_path: '/x' }), { encryption: other }), {
    type: 'host',
    host_path: '/x',
  });
});

t.test('opened workspaces: an agent keeps no credentials on its disk', async (t) => {
  const clear = ref({ type: 'objstore', bucket_name: 'bbb', credentials });
  t.notOk(withoutCredentials(clear).configuration.includes('secret'));
  t.equal(
    withoutCredentials(withoutCredentials(clear)).configuration,
    withoutCredentials(clear).configuration,
  );
  const role = ref({ type: 'objstore', bucket_name: 'bbb' });
  t.equal(withoutCredentials(role), role);
});
