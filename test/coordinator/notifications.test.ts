/** Queues that a coordinator reads for its strikes, with decrypted credentials, on a double of SQS. */
import t from 'tap';
import { STRIKE_CREDENTIALS } from '../../src/api/strikes/service.ts';
import { withEncryptedCredentials } from '../../src/api/workspaces/encrypted-credentials.ts';
import { openNotifications } from '../../src/coordinator/notifications.ts';
import type { ObjstoreMonitor } from '../../src/domain/strike/strike-config.ts';
import { waitUntil } from '../../src/lib/wait-until.ts';
import { sqsDouble } from '../support/fakes/sqs.ts';
import { s3Event } from '../support/s3/s3-events.ts';
import { silentLog } from '../support/silent-log.ts';
import { encryptionOf } from '../support/worlds/encryption.ts';

const encryption = encryptionOf(Buffer.alloc(32, 1));
const MONITOR: ObjstoreMonitor = {
  ...{ type: 'objstore', queue_name: 'files', queue_type: 'sqs', region_name: 'eu-west-1' },
  credentials: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'hush-hush' },
};
const STORED = withEncryptedCredentials(MONITOR, encryption, STRIKE_CREDENTIALS) as ObjstoreMonitor;

t.test(
  'notifications: an SQS queue is read with the decrypted credentials, and its objects go to the strike',
  async (t) => {
    const sqs = await sqsDouble('files');
    // An operator would configure another endpoint of the SDK in the same way.
    process.env.AWS_ENDPOINT_URL_SQS = sqs.endpoint;
    const asked: unknown[] = [];
    const notifications = await openNotifications({
      ...{ sql: {} as never, encryption, self: 'here', natsUrl: undefined, token: undefined, log: silentLog },
      system: {
        async ask(to, message) {
          asked.push({ to, message });
          return { files: 1 } as never;
        },
        ownerOf: () => ({ id: 'here' }) as never,
      },
    });
    t.teardown(async () => {
      delete process.env.AWS_ENDPOINT_URL_SQS;
      await notifications.close();
      await sqs.close();
    });
    sqs.send(s3Event({ key: 'a' }));

    for (let wake = 0; wake < 3; wake += 1)
      await notifications.watchQueue({ strikeId: 7, monitor: STORED, formerly: null });
    await waitUntil(() => sqs.held() === 0, { timeoutMs: 20_000, everyMs: 10 });

    t.match(asked, [
      { to: { kind: 'strike', key: '7' }, message: { type: 'notified', objects: [{ path: 'a' }] } },
    ]);
    t.equal(asked.length, 1);
    t.match(sqs.authorizations[0], /Credential=AKIAEXAMPLE\//);
    t.equal(sqs.calls.filter(({ action }) => action === 'GetQueueUrl').length, 1, 'one reader');
    await notifications.watchQueue({ strikeId: 7, monitor: null, formerly: STORED });
  },
);

t.test(
  'notifications: credentials that cannot be decrypted are reported, and the queue is not read',
  async (t) => {
    const other = encryptionOf(Buffer.alloc(32, 2));
    const notifications = await openNotifications({
      ...{
        sql: {} as never,
        encryption: other,
        self: 'here',
        natsUrl: undefined,
        token: undefined,
        log: silentLog,
      },
      system: { ask: async () => ({}) as never, ownerOf: () => undefined },
    });
    t.teardown(() => notifications.close());
    const watching = notifications.watchQueue({ strikeId: 7, monitor: STORED, formerly: null });
    await t.rejects(watching, { code: 'SECRET_UNREADABLE' });
  },
);
