import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  WORKSPACE_CREDENTIALS,
  withEncryptedCredentials,
} from '../../../src/api/workspaces/encrypted-credentials.ts';
import { ENCRYPTED_PLACES } from '../../../src/coordinator/secrets/encrypted-places.ts';
import { openSecretKeys, type SecretKeys } from '../../../src/coordinator/secrets/secret-keys.ts';
import { purposeOfJobType } from '../../../src/store/job-type/save.ts';
import { type Encryption, encryptionWith, keyIdOf } from '../../../src/store/secret-key/encryption.ts';
import { addKey, openKeyFile, readKeyFile, retireKeys } from '../../../src/store/secret-key/key-file.ts';
import { KeyRing, secretKey } from '../../../src/store/secret-key/key-ring.ts';
import { keysInUse } from '../../../src/store/secret-key/re-encryption.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';

const CREDENTIALS = { access_key_id: 'id', secret_access_key: 'canary' };

interface World {
  readonly store: StoreWorld;
  readonly file: string;
  readonly told: { readonly event: string; readonly fields: unknown }[];
  /** A coordinator that lives for `seconds`. */
  coordinator(self: string, file?: string, seconds?: number): Promise<SecretKeys>;
}

async function makeWorld(t: Test): Promise<World> {
  const store = await storeWorld(t);
  const file = join(t.testdir(), 'secret.key');
  const told: World['told'] = [];
  const tell = (event: string, fields?: unknown) => void told.push({ event, fields });
  const log = { info: tell, warn: tell, error: tell };
  await store.rows('delete from coordinator');
  return {
    ...{ store, file, told },
    async coordinator(self, ownFile = file, seconds = 3_600) {
      await store.rows(
        `insert into coordinator (id, version, started, expires)
         values ($1, '1', now(), now() + $2 * interval '1 second')
         on conflict (id) do nothing`,
        [self, seconds],
      );
      return openSecretKeys({ sql: store.db.sql, file: ownFile, self, places: ENCRYPTED_PLACES, log });
    },
  };
}

/** A workspace with a secret, and more job types with secrets than one piece takes. */
async function fill({ store }: World, encryption: Encryption): Promise<void> {
  const { ids, rows } = store;
  const broker = { type: 'objstore', credentials: CREDENTIALS };
  await rows('update workspace set configuration = $2 where id = $1', [
    ids.in,
    JSON.stringify({ broker: withEncryptedCredentials(broker, encryption, WORKSPACE_CREDENTIALS) }),
  ]);
  for (let index = 0; index < 120; index += 1) {
    const [row] = await rows<{ id: number }>(
      `insert into job_type (name, version, title, container_image, created, last_modified)
       values ($1, '1', 't', 'i', now(), now()) returning id`,
      [`sealed-${index}`],
    );
    const id = row?.id ?? 0;
    const encrypted = encryption.encrypt('{"A":"canary"}', purposeOfJobType(id));
    await rows('update job_type set secrets = $2 where id = $1', [id, encrypted]);
  }
}

/** The numbers of secrets that are encrypted with each key. Throws if one cannot be decrypted or has changed. */
async function openedBy({ store }: World, encryption: Encryption): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = (encrypted: Uint8Array, purpose: string, clear: string) => {
    if (encryption.decrypt(encrypted, purpose) !== clear) throw new Error(`${purpose} has changed`);
    const id = keyIdOf(encrypted) ?? 'none';
    counts[id] = (counts[id] ?? 0) + 1;
  };
  const types = await store.rows<{ id: number; secrets: Uint8Array }>(
    'select id, secrets from job_type where secrets is not null',
  );
  for (const { id, secrets } of types) count(secrets, purposeOfJobType(id), '{"A":"canary"}');
  const { encrypted } = await store.one<{ encrypted: string }>(
    `select configuration #>> '{broker,credentials,sealed}' as encrypted from workspace where id = $1`,
    [store.ids.in],
  );
  count(Buffer.from(encrypted, 'base64'), WORKSPACE_CREDENTIALS, JSON.stringify(CREDENTIALS));
  return counts;
}

const settle = ({ store }: World) => store.rows(`update secret_key set began = began - interval '2 minutes'`);
const currentOf = async ({ store }: World) =>
  (await store.one<{ id: string }>('select id from secret_key where is_current')).id;

t.test(
  'secret keys: once every coordinator has a new key, it is used and all secrets are encrypted again with it',
  async (t) => {
    const world = await makeWorld(t);
    const [first] = await openKeyFile(world.file);
    const [one, two] = [await world.coordinator('one'), await world.coordinator('two')];
    await fill(world, one.encryption);
    const second = await addKey(world.file);

    await one.step();
    t.equal(await currentOf(world), first?.id, 'the other coordinator does not have it yet');
    await two.step();
    t.equal(await currentOf(world), second);
    t.equal(keyIdOf(two.encryption.encrypt('x', 'y')), second);
    t.strictSame(
      Object.keys(await openedBy(world, one.encryption)),
      [first?.id],
      'one still encrypts with the older key',
    );
    await one.step();
    t.equal(keyIdOf(one.encryption.encrypt('x', 'y')), second);
    await two.step();
    t.strictSame(await openedBy(world, one.encryption), { [second]: 121 });
    t.strictSame(
      await world.store.rows('select 1 from secret_key where is_current and completed is not null'),
      [],
      'a transaction may still be open',
    );

    // A transaction that began before, and is committed only now.
    const late = encryptionOf(first?.key ?? Buffer.of()).encrypt(
      '{"A":"canary"}',
      purposeOfJobType(world.store.ids.type),
    );
    await world.store.rows('update job_type set secrets = $2 where id = $1', [world.store.ids.type, late]);
    await settle(world);
    await two.step();
    t.strictSame(await openedBy(world, one.encryption), { [second]: 122 });
    t.match(world.told.at(-1), { event: 'secret_keys_rotated', fields: { key: second } });
    t.notMatch(JSON.stringify(world.told), 'canary');
  },
);

t.test('secret keys: a retired key decrypts secrets until the next start', async (t) => {
  const world = await makeWorld(t);
  await openKeyFile(world.file);
  const one = await world.coordinator('one');
  await fill(world, one.encryption);
  const held = one.encryption.encrypt('held', 'x');
  await addKey(world.file);
  await one.step();
  await one.step();
  t.strictSame(Object.values(await openedBy(world, one.encryption)), [121]);
  await retireKeys(world.file);
  await one.step();

  t.equal(one.encryption.decrypt(held, 'x'), 'held');
  const next = await world.coordinator('one');
  t.strictSame(Object.values(await openedBy(world, next.encryption)), [121]);
  t.throws(() => next.encryption.decrypt(held, 'x'), { code: 'SECRET_UNREADABLE' });
});

t.test('secret keys: a start without a key that is in use is refused with its id', async (t) => {
  const world = await makeWorld(t);
  const [first] = await openKeyFile(world.file);
  const one = await world.coordinator('one');
  const other = `${world.file}.other`;
  await t.resolves(world.coordinator('two', other), 'it may start while no secret is stored');
  t.match(world.told, [{ event: 'secret_key_missing', fields: { missing: first?.id } }]);
  await fill(world, one.encryption);

  const message = new RegExp(`other lacks key ${first?.id} .* \\(it has [0-9a-f]{10}\\)`);
  await t.rejects(world.coordinator('two', other), { code: 'INVALID_SETTINGS', message });
  const absent = `${world.file}.absent`;
  const isMissing = {
    code: 'INVALID_SETTINGS',
    message: new RegExp(`absent does not exist, .* key ${first?.id}`),
  };
  await t.rejects(world.coordinator('two', absent), isMissing);
  t.notOk(existsSync(absent), 'none is made in the place of the right one');
  const broken = `${world.file}.broken`;
  writeFileSync(broken, 'broken');
  await t.rejects(world.coordinator('two', broken), {
    code: 'INVALID_SETTINGS',
    message: /broken, line 1/,
  });
});

t.test(
  'secret keys: secrets of an earlier version are encrypted again with the id of their key',
  async (t) => {
    const world = await makeWorld(t);
    mkdirSync(join(world.file, '..'), { recursive: true });
    const key = secretKey(randomBytes(32));
    writeFileSync(world.file, key.key);
    const named = encryptionWith(new KeyRing([key]));
    const nameless = {
      ...named,
      encrypt: (clear: string, purpose: string) =>
        Buffer.concat([Buffer.of(1), named.encrypt(clear, purpose).subarray(6)]),
    };
    await fill(world, nameless);
    t.strictSame(await openedBy(world, named), { none: 121 });
    await t.rejects(world.coordinator('one', `${world.file}.other`), { message: /lacks the key that/ });
    await world.store.rows('delete from secret_key');
    const one = await world.coordinator('one');
    await one.step();

    t.strictSame(await openedBy(world, one.encryption), { [key.id]: 121 });
  },
);

t.test(
  'secret keys: a file that becomes unreadable is reported once, and its former keys remain in use',
  async (t) => {
    const world = await makeWorld(t);
    const one = await world.coordinator('one');
    writeFileSync(world.file, 'broken');
    await one.step();
    await one.step();

    t.equal(world.told.filter(({ event }) => event === 'secret_keys_not_followed').length, 1);
    t.equal(one.encryption.decrypt(one.encryption.encrypt('text', 'x'), 'x'), 'text');
  },
);

t.test(
  'secret keys: a new key waits for coordinators that are silent, but not for expired ones',
  async (t) => {
    const world = await makeWorld(t);
    const one = await world.coordinator('one');
    await world.coordinator('gone', world.file, -1);
    await world.store.rows(
      `insert into coordinator (id, version, started, expires) values ('silent', '1', now(), now() + interval '1 day')`,
    );
    const second = await addKey(world.file);
    await one.step();
    t.not(await currentOf(world), second);
    await world.store.rows(`delete from coordinator where id = 'silent'`);
    await one.step();
    t.equal(await currentOf(world), second);
  },
);

t.test(
  'secret keys: secrets that cannot be decrypted are kept, and the others are encrypted again',
  async (t) => {
    const world = await makeWorld(t);
    const one = await world.coordinator('one');
    await fill(world, one.encryption);
    const strange = encryptionOf(randomBytes(32)).encrypt('x', 'y');
    await world.store.rows('update job_type set secrets = $2 where id = $1', [world.store.ids.type, strange]);
    const second = await addKey(world.file);
    await one.step();
    await one.step();

    t.match(
      world.told.find(({ event }) => event === 'secrets_unreadable'),
      { fields: { unreadable: 1 } },
    );
    t.strictSame(await keysInUse(world.store.db.sql, ENCRYPTED_PLACES), [keyIdOf(strange), second].sort());
  },
);

t.test('secret keys: three coordinators at once encrypt each secret once with each new key', async (t) => {
  const world = await makeWorld(t);
  const all = [
    await world.coordinator('one'),
    await world.coordinator('two'),
    await world.coordinator('three'),
  ];
  await fill(world, (all[0] as SecretKeys).encryption);
  for (let round = 0; round < 3; round += 1) {
    await addKey(world.file);
    for (let step = 0; step < 3; step += 1) await Promise.all(all.map((one) => one.step()));
  }
  const newest = (await readKeyFile(world.file)).at(-1)?.id ?? '';
  t.strictSame(await openedBy(world, (all[1] as SecretKeys).encryption), { [newest]: 121 });
  const written: Record<string, number> = {};
  for (const { event, fields } of world.told) {
    if (event !== 'secrets_encrypted_again') continue;
    const { key, reEncrypted } = fields as { readonly key: string; readonly reEncrypted: number };
    written[key] = (written[key] ?? 0) + reEncrypted;
  }
  t.strictSame(Object.values(written), [121, 121, 121], 'each secret was written once for each new key');
});
