import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encryptionWith, keyIdOf, keyPrefix } from '../../../src/store/secret-key/encryption.ts';
import { KeyRing, secretKey } from '../../../src/store/secret-key/key-ring.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';

const keyOf = (byte: number) => secretKey(Buffer.alloc(32, byte));

t.test('encryption: a secret is decrypted with the same key and purpose', async (t) => {
  const key = randomBytes(32);
  const encrypted = encryptionOf(key).encrypt('pässword', 'job_type/1');

  t.equal(encryptionOf(key).decrypt(encrypted, 'job_type/1'), 'pässword');
  t.notOk(encrypted.includes('pässword'));
});

t.test('encryption: another purpose, another key or changed bytes decrypt and reveal nothing', async (t) => {
  const encryption = encryptionOf(randomBytes(32));
  const encrypted = encryption.encrypt('canary', 'job_type/1');
  const other = encryptionOf(randomBytes(32));
  const changed = Array.from(encrypted, (_, index) => {
    const copy = Buffer.from(encrypted);
    copy[index] = (copy[index] ?? 0) ^ 1;
    return copy;
  });

  for (const open of [
    () => encryption.decrypt(encrypted, 'job_type/2'),
    () => encryption.decrypt(Buffer.of(1, 2, 3), 'job_type/1'),
    () => encryption.decrypt(Buffer.of(2, 2, 3), 'job_type/1'),
    () => encryption.decrypt(Buffer.of(), 'job_type/1'),
    () => other.decrypt(encrypted, 'job_type/1'),
    ...changed.map((bytes) => () => encryption.decrypt(bytes, 'job_type/1')),
  ]) {
    t.throws(open, { code: 'SECRET_UNREADABLE' });
  }
});

t.test('encryption: a secret is encrypted differently each time', async (t) => {
  const encryption = encryptionOf(randomBytes(32));

  t.not(encryption.encrypt('same', 'x').toString('hex'), encryption.encrypt('same', 'x').toString('hex'));
});

t.test(
  'encryption: a key ring decrypts with any of its keys, and encrypts with the active one',
  async (t) => {
    const [one, two] = [keyOf(1), keyOf(2)];
    const ring = new KeyRing([one]);
    const encryption = encryptionWith(ring);
    const before = encryption.encrypt('text', 'x');
    ring.learn([two]);
    t.equal(
      keyIdOf(encryption.encrypt('text', 'x')),
      one.id,
      'a key that is learned does not encryption yet',
    );
    ring.use(two.id);
    const after = encryption.encrypt('text', 'x');

    t.equal(keyIdOf(before), one.id);
    t.equal(keyIdOf(after), two.id);
    t.ok(after.toString('base64').startsWith(keyPrefix(two.id).toString('base64')));
    t.strictSame([encryption.decrypt(before, 'x'), encryption.decrypt(after, 'x')], ['text', 'text']);
    t.throws(() => encryptionOf(one.key).decrypt(after, 'x'), {
      code: 'SECRET_UNREADABLE',
      message: new RegExp(two.id),
    });
  },
);

t.test('encryption: a missing active key is refused by its name', async (t) => {
  const ring = new KeyRing([keyOf(1)]);
  const encrypted = encryptionWith(ring).encrypt('text', 'x');
  ring.use(keyOf(2).id);

  t.throws(() => encryptionWith(ring).encrypt('text', 'x'), {
    code: 'SECRET_UNREADABLE',
    message: new RegExp(keyOf(2).id),
  });
  t.equal(encryptionWith(ring).decrypt(encrypted, 'x'), 'text');
});

t.test(
  'encryption: a secret of an earlier version, without a key id, is decrypted by the key that fits',
  async (t) => {
    const ring = new KeyRing([keyOf(1), keyOf(2)]);
    ring.use(keyOf(2).id);
    const encrypted = encryptionWith(ring).encrypt('text', 'x');
    const nameless = Buffer.concat([Buffer.of(1), encrypted.subarray(6)]);

    t.equal(encryptionWith(ring).decrypt(nameless, 'x'), 'text');
    t.equal(keyIdOf(nameless), undefined);
    t.throws(() => encryptionWith(ring).decrypt(nameless, 'y'), { code: 'SECRET_UNREADABLE' });
    t.throws(() => encryptionOf(keyOf(3).key).decrypt(nameless, 'x'), { code: 'SECRET_UNREADABLE' });
  },
);
